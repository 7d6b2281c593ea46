#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Counts of a CTest run from its JUnit file, with the reason of every skipped test.
"""usage: ctest_summary.py JUNIT.xml    prints reasons on stderr and 'passed failed skipped'"""

import sys
import xml.etree.ElementTree as ElementTree


def main():
    suite = ElementTree.parse(sys.argv[1]).getroot()
    counts = {"run": 0, "fail": 0, "skipped": 0}
    for case in suite.iter("testcase"):
        mark = case.find("skipped")
        # CTest marks a test whose program is missing as skipped, too; that one has failed.
        skipped = mark is not None and mark.get("message", "").startswith("SKIP_")
        status = "skipped" if skipped else case.get("status")
        counts[status if status in counts else "fail"] += 1
        if skipped:
            output = (case.findtext("system-out") or "").strip()
            reason = output.splitlines()[-1] if output else "no reason printed"
            print(f"skipped: {case.get('name')}: {reason}", file=sys.stderr)
    print(counts["run"], counts["fail"], counts["skipped"])


if __name__ == "__main__":
    main()
