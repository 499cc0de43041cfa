"""
Clean SVG: what is not on a list of harmless elements and attributes is left out.

A picture keeps its shapes, texts, gradients, filters and animations. It loses scripts,
event handlers, HTML, and every address but those within itself and of embedded pixels
and fonts, so that it cannot load or lead to anything outside.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from models.errors import LimitExceeded, ValidationFailed
from models.projects.files.metadata import counted, truncated

SVG, XLINK, XML = (
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/xlink",
    "http://www.w3.org/XML/1998/namespace",
)
# Levels of elements: browsers and other programs recurse into them.
MAX_DEPTH = 200
# Large plots have tens of thousands of elements, each of which takes time.
MAX_ELEMENTS = 100_000

_ELEMENTS = (
    "a animate animateMotion animateTransform circle clipPath defs desc ellipse"
    " feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix"
    " feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood"
    " feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode"
    " feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile"
    " feTurbulence filter font-face g image line linearGradient marker mask mpath"
    " path pattern polygon polyline radialGradient rect set stop style svg switch"
    " symbol text textPath title tspan use view"
)
ELEMENTS = frozenset(_ELEMENTS.split())
_ATTRIBUTES = (
    "accumulate additive alignment-baseline amplitude aria-describedby aria-hidden"
    " aria-label aria-labelledby attributeName azimuth baseFrequency baseline-shift"
    " begin bias by calcMode class clip clip-path clip-rule clipPathUnits color"
    " color-interpolation color-interpolation-filters color-rendering cx cy d"
    " diffuseConstant direction display divisor dominant-baseline dur dx dy edgeMode"
    " elevation end exponent fill fill-opacity fill-rule filter filterUnits"
    " flood-color flood-opacity font font-family font-size font-size-adjust"
    " font-stretch font-style font-variant font-weight fr from fx fy gradientTransform"
    " gradientUnits height href id image-rendering in in2 intercept isolation k1 k2"
    " k3 k4 kernelMatrix kernelUnitLength keyPoints keySplines keyTimes lang"
    " lengthAdjust letter-spacing lighting-color limitingConeAngle marker-end"
    " marker-mid marker-start markerHeight markerUnits markerWidth mask mask-type"
    " maskContentUnits maskUnits max media method min mix-blend-mode mode numOctaves"
    " offset opacity operator order orient origin overflow paint-order path"
    " pathLength patternContentUnits patternTransform patternUnits pointer-events"
    " points pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio"
    " primitiveUnits r radius refX refY repeatCount repeatDur requiredFeatures"
    " restart result role rotate rx ry scale seed shape-rendering side spacing"
    " specularConstant specularExponent spreadMethod startOffset stdDeviation"
    " stitchTiles stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset"
    " stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width"
    " style surfaceScale systemLanguage tabindex tableValues target targetX targetY"
    " text-anchor text-decoration text-rendering textLength to transform"
    " transform-box transform-origin type unicode-bidi values vector-effect version"
    " viewBox visibility white-space width word-spacing writing-mode x x1 x2"
    " xChannelSelector y y1 y2 yChannelSelector z zoomAndPan"
)
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
# An animation must not set what a cleaned attribute could not have.
ANIMATIONS = frozenset(("animate", "set"))
UNANIMATED = frozenset(("href", "style", "class", "id", "attributeName"))

EMBEDDED = r"data:(?:image/(?:png|jpeg|gif|webp)|(?:application/)?(?:x-)?font[/\w+-]*)"
EMBEDDED += r"(?:;charset=[\w-]+)?;base64,"
_LINK = re.compile(rf"#|{EMBEDDED}", re.I)
_URL = re.compile(r"url\(", re.I)
_IMPORT = re.compile(r"@import\b[^;]*(?:;|$)", re.I)
_EMBEDDED_URL = re.compile(rf"url\(['\"]?(?:#|{EMBEDDED})[^()'\"]*['\"]?\)", re.I)
# Other ways to load something or to run it, and escapes that could spell them.
# The first characters come first, which is several times as fast.
_UNSAFE_CSS = re.compile(
    r"(?=[\\/@uicsebj<-])(?:\\|//|@import|@namespace|url\(|image\(|image-set\("
    r"|cross-fade\(|src\(|element\(|expression\(|behavior|-binding|javascript:|<)",
    re.I,
)
_NUMBER = re.compile(r"\+?(\d{1,6}(?:\.\d{0,9})?|\.\d{1,9})(?:px)?")
# Large diagrams and plots show tens of thousands of elements.
MAX_SHOWN_ELEMENTS = 500_000
# How many references and nested ids lead from one to the next.
MAX_LEVELS = 100
_TARGET = re.compile(r"url\(\s*+(?:['\"]\s*+)?#([^()'\"\s]+)", re.I)


def clean_svg(content: bytes) -> tuple[bytes, tuple[int, int] | None]:
    """
    Return the cleaned picture, and its width and height in pixels if it says so.

    Raise ValidationFailed if it is not well-formed, or has entities or too many
    elements, and LimitExceeded if its references show them too often.
    """
    cleaner = _Cleaner()
    try:
        cleaner.parse(content)
    except (expat.ExpatError, LookupError, ValueError, RecursionError):
        raise truncated("SVG") from None
    if not cleaner.has_root:
        raise truncated("SVG")
    cleaner.shown.require_few()
    return "".join(cleaner.pieces).encode(), cleaner.size


class _Cleaner:
    """Writes the elements and texts that a parser reports, unless they are unsafe."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.size: tuple[int, int] | None = None
        self.has_root = False
        self.shown = ShownElements()
        self._depth = self._elements = 0
        # The depth of the element that is left out with everything in it.
        self._skipped_depth: int | None = None
        self._style: list[str] | None = None

    def parse(self, content: bytes) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._refuse_entity
        parser.Parse(content, True)

    def _refuse_entity(self, *_: object) -> None:
        detail = "An SVG file must not declare entities."
        raise ValidationFailed(detail, {"code": "svg_entity", "detail": detail})

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements = counted(self._elements, "SVG", MAX_ELEMENTS)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            detail = f"An SVG file may have at most {MAX_DEPTH} levels of elements."
            raise ValidationFailed(detail, {"code": "svg_depth", "detail": detail})
        if self._skipped_depth is not None:
            return
        namespace, _, tag = name.rpartition(" ")
        if not self.has_root and (namespace, tag) != (SVG, "svg"):
            raise truncated("SVG")
        is_known = namespace == SVG and tag in ELEMENTS
        if not is_known or _is_unsafe_animation(tag, attributes):
            self._skipped_depth = self._depth
            return
        declarations = "" if self.has_root else f' xmlns="{SVG}" xmlns:xlink="{XLINK}"'
        if not self.has_root:
            self.has_root, self.size = True, _size(attributes)
        kept = dict(_kept(attributes))
        self.shown.start(tag, kept)
        text = "".join(f" {name}={quoteattr(value)}" for name, value in kept.items())
        self.pieces.append(f"<{tag}{declarations}{text}>")
        if tag == "style":
            self._style = []

    def _end(self, name: str) -> None:
        if self._skipped_depth is None:
            tag = name.rpartition(" ")[2]
            if self._style is not None:
                self.pieces.append(escape(clean_css("".join(self._style))))
                self._style = None
            self.pieces.append(f"</{tag}>")
            self.shown.end()
        elif self._skipped_depth == self._depth:
            self._skipped_depth = None
        self._depth -= 1

    def _text(self, text: str) -> None:
        if self._skipped_depth is not None:
            return
        if self._style is not None:
            self._style.append(text)
        else:
            self.pieces.append(escape(text))


def _is_unsafe_animation(tag: str, attributes: dict[str, str]) -> bool:
    if tag not in ANIMATIONS:
        return False
    animated = attributes.get("attributeName", "").strip()
    return animated not in ATTRIBUTES - UNANIMATED


def _kept(attributes: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the attributes that are harmless, with what is harmless of their values."""
    for name, value in attributes.items():
        namespace, _, local = name.rpartition(" ")
        if namespace == XML and local in ("space", "lang"):
            yield f"xml:{local}", value
        elif local == "href" and namespace in ("", XLINK):
            if _LINK.match(value.strip()):
                yield "xlink:href" if namespace else "href", value.strip()
        elif not namespace and local == "style":
            yield local, clean_declarations(value)
        elif not namespace and local in ATTRIBUTES and is_safe_css(value):
            yield local, value


def is_safe_css(text: str) -> bool:
    """Return whether CSS, or the value of an attribute, refers to nothing outside."""
    return not (
        _UNSAFE_CSS.search(text) and _UNSAFE_CSS.search(_EMBEDDED_URL.sub("", text))
    )


def clean_css(text: str) -> str:
    """Return a style sheet without what loads something; nothing if that is unclear."""
    first, *parts = _URL.split(_IMPORT.sub("", _without_comments(text)))
    text = first + "".join(map(_with_safe_url, parts))
    return text if is_safe_css(text) else ""


def _with_safe_url(part: str) -> str:
    """Return what follows `url(`, whose target is replaced if it is outside."""
    target, _, rest = part.partition(")")
    target = target.strip().strip("'\"")
    return (f"url({target})" if _LINK.match(target) else "none") + rest


def _without_comments(text: str) -> str:
    first, *parts = text.split("/*")
    return first + "".join(part.partition("*/")[2] for part in parts)


def clean_declarations(text: str) -> str:
    """Return the declarations of a style attribute that refer to nothing outside."""
    if is_safe_css(text):
        return text
    return ";".join(filter(is_safe_css, _without_comments(text).split(";")))


def _size(attributes: dict[str, str]) -> tuple[int, int] | None:
    """Return width and height in pixels, or those of the view box."""
    texts = [attributes.get(name, "").strip() for name in ("width", "height")]
    if not all(map(_NUMBER.fullmatch, texts)):
        texts = re.split(r"[\s,]+", attributes.get("viewBox", "").strip())[2:]
    sides = list(map(_NUMBER.fullmatch, texts))
    lengths = [round(float(side[1])) for side in sides if side]
    return (lengths[0], lengths[1]) if len(lengths) == 2 and min(lengths) > 0 else None


class ShownElements:
    """Counts the elements that a parser reports, by the ids around them."""

    def __init__(self) -> None:
        # The innermost id around each open element, beginning with the whole picture.
        self._open = [""]
        self._sizes: dict[str, int] = defaultdict(int)
        # What is shown as a part of each id: the ids in it, and those it refers to.
        self._parts: dict[str, list[str]] = defaultdict(list)
        self._totals: dict[str, int] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        outer, id = self._open[-1], attributes.get("id", "")
        if id in self._sizes:
            # Of several elements with an id, the first is meant by it.
            id = ""
        elif id:
            self._parts[outer].append(id)
        self._open.append(id or outer)
        self._sizes[id or outer] += 1
        for name, value in attributes.items():
            if name.endswith("href") and value.startswith("#") and tag != "a":
                self._parts[id or outer].append(value[1:])
            elif "(" in value:
                self._parts[id or outer] += _TARGET.findall(value)

    def end(self) -> None:
        self._open.pop()

    def require_few(self) -> None:
        """Raise LimitExceeded if a browser would show too many elements."""
        if self._total("", 0) > MAX_SHOWN_ELEMENTS:
            raise LimitExceeded(
                f"The SVG file would show more than {MAX_SHOWN_ELEMENTS} elements by"
                " its references, or they form a circle."
            )

    def _total(self, id: str, level: int) -> int:
        """Return how many elements an id is shown as, up to one more than allowed."""
        too_many = MAX_SHOWN_ELEMENTS + 1
        if level > MAX_LEVELS:
            return too_many
        if id not in self._totals:
            # What refers to itself finds this.
            self._totals[id] = too_many
            parts = self._parts.get(id, ())
            total = sum(self._total(part, level + 1) for part in parts)
            self._totals[id] = min(self._sizes.get(id, 0) + total, too_many)
        return self._totals[id]
