"""
Recognise files that were renamed, by their texts.

Pure functions: no row, no clock, no setting is read here.
"""

from collections import Counter
from collections.abc import Mapping

# Bytes of a text. Two files may well have the same shorter one, such as "To be done."
MIN_BYTES = 100


def renamed_files(new: Mapping[str, str], gone: Mapping[str, str]) -> dict[str, str]:
    """
    Return the former path of each new file that was renamed, by its path.

    Both mappings have digests of texts by path. A file was renamed if no other new
    file, and no other one that is gone, has its text.
    """
    counts = Counter(new.values()), Counter(gone.values())
    former = {digest: path for path, digest in gone.items()}
    return {
        path: former[digest]
        for path, digest in new.items()
        if all(count[digest] == 1 for count in counts)
    }
