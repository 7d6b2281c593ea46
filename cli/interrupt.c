/* SPDX-License-Identifier: BSD-3-Clause
 * Signals that end a run. The handler does what handlers may: it writes, unlinks and exits. */
#include "interrupt.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ECHO_SECONDS 3

static const struct {
    int number;
    const char *name;
} taken[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGUSR1, "SIGUSR1"}};

enum { N_TAKEN = (int)(sizeof taken / sizeof taken[0]) };

/* A handler knows nothing but what is static. */
static volatile sig_atomic_t caught, asks;
static volatile time_t caught_at;
static char *volatile unfinished;
static bool ours[N_TAKEN]; /* not ignored when the program began */

static const char *name_of(int number)
{
    for (int k = 0; k < N_TAKEN; ++k)
        if (taken[k].number == number) return taken[k].name;
    return "";
}

static void say(const char *text)
{
    const ssize_t done = write(STDERR_FILENO, text, strlen(text));
    (void)done; /* nothing can be done about it here */
}

static void end_at_once(int number)
{
    const char *path = unfinished;
    if (path) (void)unlink(path);
    say("\nshoal: interrupted by ");
    say(name_of(number));
    say(path ? "; no output is left\n" : "\n");
    _exit(128 + number);
}

/* Launchers of parallel jobs pass a signal on that the process has got already. */
static bool is_an_echo(int number)
{
    return number != SIGINT && time(NULL) - caught_at < ECHO_SECONDS;
}

static void handle(int number)
{
    if (caught && is_an_echo(number)) return;
    if (!asks || caught) end_at_once(number);
    caught_at = time(NULL);
    caught = number;
    say("\nshoal: ending with what is finished; a second signal ends at once\n");
}

static void install(int number)
{
    struct sigaction action = {0};
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    (void)sigemptyset(&action.sa_mask);
    for (int k = 0; k < N_TAKEN; ++k) (void)sigaddset(&action.sa_mask, taken[k].number);
    (void)sigaction(number, &action, NULL);
}

void interrupt_install(void)
{
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a failed write */
    for (int k = 0; k < N_TAKEN; ++k) {
        struct sigaction old;
        ours[k] = sigaction(taken[k].number, NULL, &old) == 0 && old.sa_handler != SIG_IGN;
    }
    interrupt_keep();
}

void interrupt_keep(void)
{
    for (int k = 0; k < N_TAKEN; ++k)
        if (ours[k]) install(taken[k].number);
}

void interrupt_ask(bool asking)
{
    asks = asking;
}

int interrupt_code(void)
{
    return caught ? 128 + caught : 0;
}

const char *interrupt_name(void)
{
    return name_of(caught);
}

void interrupt_remove(const char *path)
{
    char *old = unfinished;
    unfinished = path ? strdup(path) : NULL;
    free(old);
}
