"""The served OpenAPI document, checked against the server by an independent tool."""

import subprocess
import sys

# A valid request may still be rejected: a window that ends before it starts, an unknown
# cursor. So every check but that one.
CHECKS = ("--checks", "all", "--exclude-checks", "positive_data_acceptance")
# A busy server may respond so, if the response is as described.
SETTINGS = """
[checks]
not_a_server_error.expected-statuses = ["2XX", "3XX", "4XX", "503"]
"""
# For each operation at night every boundary of its schema, by day this number of random
# requests.
EXAMPLES = 4


def test_every_operation_answers_as_described(start, key, tmp_path, stride):
    """No request causes a 500, an undescribed response or a lenient acceptance."""
    _, address, _ = start()
    words = [sys.executable, "-m", "schemathesis.cli", "run"]
    words += [f"{address}/openapi.json", "-H", f"Authorization: Bearer {key}"]
    by_night = stride == 1
    words += [*CHECKS, "--max-examples", str(EXAMPLES * 3 if by_night else EXAMPLES)]
    words += ["--no-color", "--phases", "coverage,fuzzing" if by_night else "fuzzing"]
    # By day the same requests each time, so that all changes are tested alike.
    words += ["--request-timeout", "120", *([] if by_night else ["--seed", "1"])]
    (tmp_path / "schemathesis.toml").write_text(SETTINGS)

    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)

    print(ran.stdout)  # the output has its seed
    # Failures come first in a long report, because logs are often cut.
    failures = ran.stdout.partition(" FAILURES ")[2] or ran.stderr
    assert ran.returncode == 0, failures[:8000]
