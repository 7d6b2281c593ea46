/* SPDX-License-Identifier: BSD-3-Clause
 * shoal completion: scripts for shells, made from the option tables. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "options.h"
#include "tables.h"

/* What lists the devices of this machine. */
#define DEVICES "shoal devices -q 2>/dev/null | sed -n '2,$s/ .*//p'"

/* Text inside '..': quotes by `quote`; characters of `special` get a backslash. */
static void print_quoted(const char *text, const char *quote, const char *special)
{
    for (; *text; ++text) {
        if (*text == '\'')
            (void)printf("%s", quote);
        else
            (void)printf(strchr(special, *text) ? "\\%c" : "%c", *text);
    }
}

/* Words of "bash|zsh|fish ..", if usage begins like that. */
static void usage_words(const char *usage, char *out, size_t size)
{
    const size_t n = strcspn(usage, " ");
    out[0] = '\0';
    if (!memchr(usage, '|', n) || n >= size) return;
    (void)snprintf(out, size, "%.*s", (int)n, usage);
    for (char *at = out; *at; ++at)
        if (*at == '|') *at = ' ';
}

static void print_words(const table_values *values)
{
    for (int k = 0; k < values->n; ++k) (void)printf("%s%s", k > 0 ? " " : "", values->words[k]);
}

static void print_names(void)
{
    int n;
    const cli_entry *list = command_list(&n);
    for (int k = 0; k < n; ++k) (void)printf("%s ", list[k].name);
    (void)printf("help");
}

/* "|grid build|grid check|": commands of two words. */
static void print_pairs(void)
{
    int n;
    const cli_entry *list = command_list(&n);
    (void)putchar('|');
    for (int k = 0; k < n; ++k) {
        const char *const *verbs = tables_verbs(list[k].name);
        for (; verbs && *verbs; ++verbs) (void)printf("%s %s|", list[k].name, *verbs);
    }
}

static void show_all(cli_see *see)
{
    int n;
    const cli_entry *list = command_list(&n);
    for (int k = 0; k < n; ++k) tables_show(&list[k], see, NULL);
}

/* What may follow a command: verbs, or words of its usage. */
static void print_words_after(const cli_entry *c, const char *usage)
{
    const char *const *verbs = tables_verbs(c->name);
    char words[128];
    usage_words(usage, words, sizeof words);
    (void)printf("%s", words);
    for (; verbs && *verbs; ++verbs) (void)printf(" %s", *verbs);
}

/* Lines of a case for commands of nothing but verbs. */
static void print_verbs_alone(const char *before, const char *after)
{
    int n;
    const cli_entry *list = command_list(&n);
    for (int k = 0; k < n; ++k) {
        if (tables_has_own(list[k].name)) continue;
        (void)printf("  %s) %s", list[k].name, before);
        print_words_after(&list[k], "");
        (void)printf("%s ;;\n", after);
    }
}

static bool is_device(const cli_option *o)
{
    return strcmp(o->name, "device") == 0;
}

/* --- bash ---------------------------------------------------------------------------------------- */

static void see_bash_options(void *user, const cli_command *c)
{
    (void)user;
    (void)printf("  '%s') words='", c->name);
    if (!strchr(c->name, ' ')) print_words_after(command_find(c->name), c->usage);
    (void)printf("' options='");
    for (int g = 0; g < c->n_groups; ++g)
        for (const cli_option *o = c->groups[g].options; o->name; ++o) {
            if (o->letter) (void)printf("-%c ", o->letter);
            (void)printf("--%s ", o->name);
        }
    (void)printf("-h --help' ;;\n");
}

static void see_bash_values(void *user, const cli_command *c)
{
    table_values values;
    (void)user;
    for (int g = 0; g < c->n_groups; ++g)
        for (const cli_option *o = c->groups[g].options; o->name; ++o) {
            if (!o->argument) continue;
            tables_values(o, &values);
            (void)printf("  '%s --%s'", c->name, o->name);
            if (o->letter) (void)printf(" | '%s -%c'", c->name, o->letter);
            (void)printf(") takes=%s values='", tables_takes_file(o) ? "file" : "value");
            print_words(&values);
            (void)printf("'%s ;;\n", is_device(o) ? " && values+=\" $(" DEVICES ")\"" : "");
        }
}

/* The word at the cursor is put together again where bash cuts it, at = and :. */
static const char bash_head[] =
    "  local at=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} front='' prev='' command='' second=''\n"
    "  local key='' words='' options='--help --version' takes='' values='' reply=()\n"
    "  [ \"$cur\" != = ] || cur=''\n"
    "  if [ \"$cur\" = : ]; then\n"
    "    cur='' front=${COMP_WORDS[at - 1]}: at=$((at - 1))\n"
    "  elif [ \"$at\" -gt 1 ] && [ \"${COMP_WORDS[at - 1]}\" = : ]; then\n"
    "    front=${COMP_WORDS[at - 2]}: at=$((at - 2))\n"
    "  fi\n"
    "  prev=${COMP_WORDS[at - 1]}\n"
    "  [ \"$prev\" != = ] || prev=${COMP_WORDS[at - 2]}\n"
    "  [ \"$COMP_CWORD\" -le 1 ] || command=${COMP_WORDS[1]}\n"
    "  [ \"$COMP_CWORD\" -le 2 ] || second=${COMP_WORDS[2]}\n"
    "  key=$command\n"
    "  [[ $pairs != *\"|$command $second|\"* ]] || key=\"$command $second\"\n";
static const char bash_tail[] = "  if [ -z \"$takes\" ] && [[ $cur == -* ]]; then\n"
                                "    values=$options\n"
                                "  elif [ -z \"$takes\" ] && [ -z \"$second\" ]; then\n"
                                "    values=$words takes=${command:+file}\n"
                                "  elif [ -z \"$takes\" ]; then\n"
                                "    takes=file\n"
                                "  fi\n"
                                "  mapfile -t reply < <(compgen -W \"$values\" -- \"$front$cur\")\n"
                                "  if [ \"$takes\" = file ] && [ -z \"$front\" ]; then\n"
                                "    compopt -o filenames 2>/dev/null\n"
                                "    mapfile -t -O ${#reply[@]} reply < <(compgen -f -- \"$cur\")\n"
                                "  fi\n"
                                "  COMPREPLY=(\"${reply[@]#\"$front\"}\")\n"
                                "}\ncomplete -F _shoal shoal\n";

static void print_bash(void)
{
    (void)printf("# bash completion of shoal, made by 'shoal completion bash'.\n_shoal()\n{\n"
                 "  local names='");
    print_names();
    (void)printf("' pairs='");
    print_pairs();
    (void)printf("'\n%s  case $key in\n  '') words=$names ;;\n  help) words=\"$names --man\" ;;\n",
                 bash_head);
    print_verbs_alone("words='", "' options='-h --help'");
    show_all(see_bash_options);
    (void)printf("  esac\n  case \"$key $prev\" in\n");
    show_all(see_bash_values);
    (void)printf("  esac\n%s", bash_tail);
}

/* --- zsh ----------------------------------------------------------------------------------------- */

static void print_zsh_option(const cli_option *o)
{
    static const char quote[] = "'\\''";
    table_values values;
    const char letter[] = {'-', o->letter, '\0'};
    for (int k = o->letter ? 0 : 1; k < 2; ++k) {
        (void)printf(" \\\n      '*%s%s%s[", k == 0 ? letter : "--", k == 0 ? "" : o->name,
                     o->argument ? k == 0 ? "+" : "=" : "");
        print_quoted(o->help, quote, "[]:");
        (void)putchar(']');
        if (o->argument) {
            (void)putchar(':');
            print_quoted(o->argument, quote, "[]:");
            tables_values(o, &values);
            if (is_device(o)) {
                (void)printf(":_shoal_devices'");
                continue;
            }
            (void)printf(values.n > 0 ? ":(" : tables_takes_file(o) ? ":_files" : ": ");
            print_words(&values);
            if (values.n > 0) (void)putchar(')');
        }
        (void)putchar('\'');
    }
}

static void see_zsh(void *user, const cli_command *c)
{
    static const cli_option help = {"help", 'h', NULL, "show this help and stop"};
    (void)user;
    (void)printf("  '%s')\n    _arguments -S", c->name);
    for (int g = 0; g < c->n_groups; ++g)
        for (const cli_option *o = c->groups[g].options; o->name; ++o) print_zsh_option(o);
    print_zsh_option(&help);
    if (!strchr(c->name, ' ')) {
        /* the blank keeps zsh from putting options of compadd before the words */
        (void)printf(" \\\n      \"1:word: _shoal_words '");
        print_words_after(command_find(c->name), c->usage);
        (void)printf("'\"");
    }
    (void)printf(" \\\n      '*:file:_files' ;;\n");
}

static void print_zsh(void)
{
    (void)printf("#compdef shoal\n# zsh completion of shoal, made by 'shoal completion zsh'.\n"
                 "_shoal_devices() { local -a found=(${(f)\"$(" DEVICES ")\"} cpu ref auto opencl "
                 "shadow:); compadd -a found }\n"
                 "_shoal_words() { local -a found=(${=1}); compadd -a found; _files }\n"
                 "_shoal() {\n  local pairs='");
    print_pairs();
    (void)printf("' names='");
    print_names();
    (void)printf("' key=$words[2]\n"
                 "  if (( CURRENT == 2 )); then compadd -- ${=names} --help --version; return; fi\n"
                 "  shift words; (( CURRENT-- ))\n"
                 "  if (( CURRENT > 2 )) && [[ $pairs == *\"|$key $words[2]|\"* ]]; then\n"
                 "    key=\"$key $words[2]\"; shift words; (( CURRENT-- ))\n  fi\n"
                 "  case $key in\n  help) compadd -- ${=names} --man ;;\n");
    print_verbs_alone("compadd -- ", "");
    show_all(see_zsh);
    (void)printf("  esac\n}\ncompdef _shoal shoal 2>/dev/null\n"
                 "[[ $funcstack[1] != _shoal ]] || _shoal \"$@\"\n");
}

/* --- fish ---------------------------------------------------------------------------------------- */

static void see_fish(void *user, const cli_command *c)
{
    table_values values;
    (void)user;
    for (int g = 0; g < c->n_groups; ++g)
        for (const cli_option *o = c->groups[g].options; o->name; ++o) {
            (void)printf("complete -c shoal -n '__shoal_at \"%s\"' -l %s", c->name, o->name);
            if (o->letter) (void)printf(" -s %c", o->letter);
            tables_values(o, &values);
            if (o->argument) (void)printf(tables_takes_file(o) ? " -r -F" : " -x");
            if (values.n > 0) {
                (void)printf(" -a \"");
                print_words(&values);
                (void)printf("%s\"", is_device(o) ? " (__shoal_devices)" : "");
            }
            (void)printf(" -d '");
            print_quoted(o->help, "\\'", "\\");
            (void)printf("'\n");
        }
    (void)printf(
        "complete -c shoal -n '__shoal_at \"%s\"' -l help -s h -d 'show this help and stop'\n",
        c->name);
}

static void print_fish(void)
{
    int n;
    const cli_entry *list = command_list(&n);
    (void)printf("# fish completion of shoal, made by 'shoal completion fish'.\n"
                 "function __shoal_at\n  set -l words (commandline -opc)\n"
                 "  set -l name \"$words[2]\"\n"
                 "  if set -q words[3]; and string match -q -- \"*|$words[2] $words[3]|*\" '");
    print_pairs();
    (void)printf("'\n    set name \"$words[2] $words[3]\"\n  end\n"
                 "  test \"$name\" = \"$argv[1]\"\nend\n"
                 "function __shoal_devices\n  " DEVICES "\nend\n"
                 "function __shoal_first\n  test (count (commandline -opc)) -eq $argv[1]\nend\n"
                 "complete -c shoal -n '__shoal_first 1' -f -a 'help --help --version'\n");
    for (int k = 0; k < n; ++k) {
        (void)printf("complete -c shoal -n '__shoal_first 1' -f -a %s -d '", list[k].name);
        print_quoted(list[k].help, "\\'", "\\");
        (void)printf("'\n");
        const char *const *verbs = tables_verbs(list[k].name);
        for (; verbs && *verbs; ++verbs)
            (void)printf("complete -c shoal -n '__shoal_first 2; and __shoal_at %s'%s -a %s\n",
                         list[k].name, tables_has_own(list[k].name) ? "" : " -f", *verbs);
    }
    (void)printf("complete -c shoal -n '__shoal_first 2; and __shoal_at completion' -f -a 'bash "
                 "zsh fish'\ncomplete -c shoal -n '__shoal_first 2; and __shoal_at help' -f -a '");
    print_names();
    (void)printf(" --man'\n");
    show_all(see_fish);
}

/* --- the command --------------------------------------------------------------------------------- */

static int print_script(void *user, const char **files, int n_files)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    (void)user;
    (void)n_files;
    for (size_t k = 0; k < sizeof shells / sizeof shells[0]; ++k)
        if (strcmp(files[0], shells[k].name) == 0) {
            shells[k].print();
            return EXIT_ALL_FINE;
        }
    return cli_misuse("completion '%s': expected bash, zsh or fish", files[0]);
}

int cmd_completion(int argc, char **argv)
{
    const cli_command command = {
        .name = "completion",
        .usage = "bash|zsh|fish",
        .purpose = "Prints a script that completes commands, options and values in a shell.",
        .notes =
            "An installed Shoal has brought the scripts to where shells look for them. Otherwise:\n"
            "  source <(shoal completion bash)\n"
            "  shoal completion zsh > ~/.zfunc/_shoal    (a folder of fpath)\n"
            "  shoal completion fish > ~/.config/fish/completions/shoal.fish",
        .groups = NULL,
        .n_groups = 0,
        .min_files = 1,
        .max_files = 1,
    };
    return cli_run(&command, argc, argv, print_script, NULL);
}
