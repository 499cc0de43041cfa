"""A document with everything that authors can write, and the pictures that it shows."""

import zlib

from tests.samples import pictures


def _coloured_png(width, height, colour):
    """A PNG of one colour, which a browser can show."""
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x02\0\0\0"
    pixels = zlib.compress((b"\0" + bytes(colour) * width) * height)
    parts = (b"IHDR", header), (b"IDAT", pixels), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(pictures.chunk(*part) for part in parts)


FILES = {
    "rich/wide.png": _coloured_png(1600, 500, (0x6B, 0x8F, 0xD6)),
    "rich/small.png": _coloured_png(160, 90, (0x7A, 0xA8, 0x5C)),
    "rich/day.png": _coloured_png(640, 120, (0xF2, 0xE2, 0xA9)),
    "rich/night.png": _coloured_png(640, 120, (0x25, 0x2B, 0x48)),
    "rich/chart.svg": pictures.svg(
        "<rect width='400' height='120' fill='#456'/><circle cx='60' cy='60' r='40'/>",
        "width='400' height='120'",
    ),
    "rich/limits.csv": b"name,limit\nsize,10\n",
}

TEXT = r"""
The first picture is wider than a telephone.

![A plan of the halls](rich/wide.png)

## Pictures

![The plan of the first hall](rich/small.png "Hall 1, with its caption below it")

Day and night have a picture each:

![The hall by day](rich/day.png){.light}
![The hall by night](rich/night.png){.dark}

![The hall by day, with a caption](rich/day.png "By day"){.light}

![The hall by night, with a caption](rich/night.png "By night"){.dark}

An icon ![](rich/small.png){width=24} in a line, [![A chart](rich/chart.svg)](limits.md)
as a link, and the [limits](rich/limits.csv) as a file.

## Tabs

=== "Linux"

    Install it with `apt`.

    ```bash title="install.sh" {2} linenums="9"
    apt update
    apt install masthead --no-install-recommends --assume-yes --option Retries=3
    ```

=== "macOS"

    Install it with `brew`.

    === "Apple silicon"

        In `/opt/homebrew`.

    === "Intel"

        In `/usr/local`.

=== "Anything else that can run a recent version of Python"

    | Name | Since | Unit | What it does |
    |---|---|---|---|
    | size | 1.0 | B | As much as a client may send at once |

## Code

```python title="a/rather/long/path/of/folders/to/a_file_of_settings.py" {1,3-4}
import sys

def greet(name: str) -> None:
    print(f"Hello, {name}! This line is longer than any screen on which it is read.")
```

```js ins={1} del={2} warning={3} error={4}
const rate = 10; // as many requests
const rate = 5; // "too few"
retry({ times: null });
throw new Error(`Too many: ${rate}`);
```

```js focus={2} linenums="1"
import { retry } from "./retry";
await retry(() => "seen first"); // and read with ease
```

```text linenums="98"
one
two
three
```

```mermaid
graph LR; a-->b
```

## Terms

Uptime
: The part of a period in which a service was operational.

*Downtime* and `outage`
: The rest of the period.

: As above, in a second definition with a paragraph.

    - and a list

## Formulas

An uptime of $u$ leaves $t = (1 - u) \cdot 365$ days, which no $\sqrt{x^2}$ changes.

$$
t = \sum_{i=1}^{n} \frac{a_i}{b_i} + \int_0^\infty e^{-x^2} \, dx
  + \left( \frac{1}{1 + \frac{1}{1 + \frac{1}{1 + x}}} \right)
  + a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r
$$

```math
A = \begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}
```

## Notes

> [!NOTE]
> A note with a list:
>
> 1. one
> 2. two

> [!WARNING]
> ```bash
> rm --recursive --force /var/lib/masthead/everything-that-was-ever-published-here
> ```

> [!TIP]
> A tip.

> [!IMPORTANT]
> | a | b |
> |---|---|
> | 1 | 2 |

> [!CAUTION]
> ![A small picture](rich/small.png)

> A quote with
>
> ### A heading
>
> > and a quote.

## Lists

- [x] done
- [ ] to do
    - [x] nested, done
    - [ ] nested, to do
        - a plain item
- [ ] the last

1. one

    ```text
    code
    ```

2. two
    - three
        1. four

## HTML

<details open>
<summary>Older releases</summary>

Press <kbd>Ctrl</kbd> + <kbd>C</kbd> *twice*,
<mark>then</mark> H<sub>2</sub>O<sup>2</sup>.

- a list

</details>

<figure>
<img src="rich/small.png" alt="A small picture of the hall" width="160">
<figcaption>A figure of HTML</figcaption>
</figure>

<table>
<caption>Limits</caption>
<tr><th scope="row">Size</th><td>10 MB</td></tr>
</table>

A line<br>that breaks, with <abbr title="Application Programming Interface">API</abbr>
and a note.[^rich]

---

https://example.com/a/very/long/address/that/cannot/be/broken/anywhere/but/in/its/middle/part

[^rich]: The words of the note.
"""
