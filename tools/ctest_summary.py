#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Counts of a CTest or pytest run from its JUnit file, with the reason of every skipped test and what was slow.
"""usage: ctest_summary.py JUNIT.xml    prints reasons and slow tests on stderr and 'passed failed skipped'"""

import sys
import xml.etree.ElementTree as ElementTree


SLOW_S = 20  # seconds that no test should take on two cores


def ctest_verdict(case):
    """(status, reason of a skip). CTest marks a test whose program is missing as skipped, too; that one has failed."""
    mark = case.find("skipped")
    if mark is not None and mark.get("message", "").startswith("SKIP_"):
        output = (case.findtext("system-out") or "").strip()
        return "skipped", output.splitlines()[-1] if output else "no reason printed"
    return case.get("status"), ""


def pytest_verdict(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "fail", ""
    mark = case.find("skipped")
    if mark is not None:
        return "skipped", mark.get("message", "no reason given")
    return "run", ""


def main():
    root = ElementTree.parse(sys.argv[1]).getroot()
    counts = {"run": 0, "fail": 0, "skipped": 0}
    for case in root.iter("testcase"):
        status, reason = (ctest_verdict if case.get("status") else pytest_verdict)(case)
        counts[status if status in counts else "fail"] += 1
        if status == "skipped":
            print(f"skipped: {case.get('name')}: {reason}", file=sys.stderr)
    cases = ((float(case.get("time") or 0), case.get("name")) for case in root.iter("testcase"))
    for seconds, name in sorted((case for case in cases if case[0] > SLOW_S), reverse=True):
        print(f"slow: {seconds:5.0f} s  {name}", file=sys.stderr)
    print(counts["run"], counts["fail"], counts["skipped"])


if __name__ == "__main__":
    main()
