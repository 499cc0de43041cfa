"""The served OpenAPI document, held against the server by an outside tool."""

import subprocess
import sys

# A question of the right shape may still be refused: a window that ends before it
# starts, a cursor that nobody gave. So every check but that one.
CHECKS = ("--checks", "all", "--exclude-checks", "positive_data_acceptance")
# A busy server may say so; the answer must be as described all the same.
SETTINGS = """
[checks]
not_a_server_error.expected-statuses = ["2XX", "3XX", "4XX", "503"]
"""
# What is asked of each operation: every boundary of its schema at night, by day so
# many random requests.
EXAMPLES = 4


def test_every_operation_answers_as_described(start, key, tmp_path, stride):
    """No question finds a 500, an answer of another shape or a lenient refusal."""
    _, address, _ = start()
    words = [sys.executable, "-m", "schemathesis.cli", "run"]
    words += [f"{address}/openapi.json", "-H", f"Authorization: Bearer {key}"]
    by_night = stride == 1
    words += [*CHECKS, "--max-examples", str(EXAMPLES * 3 if by_night else EXAMPLES)]
    words += ["--no-color", "--phases", "coverage,fuzzing" if by_night else "fuzzing"]
    # By day the same questions each time, so that each change is judged alike.
    words += ["--request-timeout", "120", *([] if by_night else ["--seed", "1"])]
    (tmp_path / "schemathesis.toml").write_text(SETTINGS)

    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)

    print(ran.stdout)  # it names its seed
    # What failed comes first in a long report, and logs are often cut.
    failures = ran.stdout.partition(" FAILURES ")[2] or ran.stderr
    assert ran.returncode == 0, failures[:8000]
