# SPDX-License-Identifier: BSD-3-Clause
# Counts what held and what did not, for tests that are programs.
import sys

passed = 0
failures = []


def check(condition, text):
    global passed
    if condition:
        passed += 1
    else:
        failures.append(text)
        print(f"failed: {text}")


def equal(got, want, text):
    check(got == want, f"{text}: {got!r}, expected {want!r}")


def finish():
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures or passed == 0 else 0)
