"""The served OpenAPI document, held against the server by an outside tool."""

import subprocess
import sys

# A question of the right shape may still be refused: a window that ends before it
# starts, a cursor that nobody gave. So every check but that one.
CHECKS = ("--checks", "all", "--exclude-checks", "positive_data_acceptance")
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

    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)

    print(ran.stdout)  # it names its seed
    assert ran.returncode == 0
