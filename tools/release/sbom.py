# SPDX-License-Identifier: BSD-3-Clause
# What a release holds, as CycloneDX 1.6 in JSON: sbom.py prints it, sbom.py --check FILE... validates.
import datetime
import json
import os
import pathlib
import re
import sys
import uuid

import sources

PURL = {("hdf5", "any"): "pkg:github/HDFGroup/hdf5@hdf5_1.14.5",
        ("libgomp", "x86_64"): "pkg:deb/ubuntu/libgomp1@8.4.0-1ubuntu1~18.04?arch=amd64",
        ("libgomp", "aarch64"): "pkg:deb/debian/libgomp1@10.2.1-6?arch=arm64"}


def version(top):
    text = (top / "include/shoal/version.h").read_text(encoding="utf-8")
    return re.search(r'SHOAL_VERSION "(.*)"', text).group(1)


def licence(expression):
    return [{"expression": expression}]


def viewer(top):
    """3Dmol.js, which report pages hold."""
    text = (top / "python/shoal/assets/README.md").read_text(encoding="utf-8")
    found = re.search(r"3Dmol\D*(\d+\.\d+\.\d+)", text)
    if not found:
        raise SystemExit("sbom: python/shoal/assets/README.md names no version of 3Dmol")
    return {"type": "library", "bom-ref": "3dmol", "name": "3dmol", "version": found.group(1),
            "purl": f"pkg:npm/3dmol@{found.group(1)}", "licenses": licence("BSD-3-Clause AND Zlib AND MIT")}


def component(source):
    return {"type": "library", "bom-ref": source.name, "name": source.name, "version": source.version,
            "licenses": licence(source.licence), "purl": PURL[source.name, source.machine],
            "externalReferences": [{"type": "distribution", "url": source.url,
                                    "hashes": [{"alg": "SHA-256", "content": source.sha256}]}]}


def text(top, machine="x86_64"):
    number = version(top)
    inside = [component(s) for s in sources.table(machine) if s.role == "inside"] + [viewer(top)]
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    main = {"type": "library", "bom-ref": "shoal", "name": "shoal", "version": number,
            "purl": f"pkg:pypi/shoal@{number}", "licenses": licence("BSD-3-Clause")}
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'shoal-{number}-{moment.isoformat()}')}",
        "metadata": {"timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": main},
        "components": inside,
        "dependencies": [{"ref": "shoal", "dependsOn": [c["bom-ref"] for c in inside]}],
    }
    return json.dumps(document, indent=1) + "\n"


def check(path):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(path.read_text(encoding="utf-8"))
    if error is not None:
        raise SystemExit(f"sbom: {path}: {error}")
    print(f"{path.name}: valid CycloneDX 1.6")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"]:
        for word in sys.argv[2:]:
            check(pathlib.Path(word))
    else:
        sys.stdout.write(text(pathlib.Path(__file__).resolve().parents[2]))
