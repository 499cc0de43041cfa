"""A form as a page shows it, filled in from the JSON of a request."""

import json
import re
from html.parser import HTMLParser

from werkzeug.datastructures import MultiDict


class Control:
    """The controls of one name: a tag, its type, and the options."""

    def __init__(self, tag, attributes):
        self.tag, self.attributes = tag, attributes
        self.type = attributes.get("type", "text")
        self.value = attributes.get("value", "")
        self.options = []

    @property
    def is_code(self):
        return "code" in self.attributes.get("class", "").split()


class ShownForm(HTMLParser):
    """The form of a page with this action: its controls, and its buttons."""

    def __init__(self, page, action):
        super().__init__()
        self._action, self._form, self._open = action, False, None
        self.controls, self.buttons, self.method = {}, {}, None
        self.feed(page)
        assert self.method, f"The page has no form for {action}."

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self._form = attributes["action"] == self._action
            self.method = attributes["method"] if self._form else self.method
        elif self._form and (name := attributes.get("name")):
            if tag == "button":
                self.buttons[name] = attributes["value"]
                return
            self._open = Control(tag, attributes)
            self.controls.setdefault(name, []).append(self._open)
        elif tag == "option" and self._open:
            self._open.options.append(attributes["value"])
            if "selected" in attributes or len(self._open.options) == 1:
                self._open.value = attributes["value"]

    def handle_endtag(self, tag):
        if tag == "form":
            self._form = False
        elif tag == "textarea" and self._open:
            # A browser drops the line break behind the tag.
            self._open.value = self._open.value[1:]
            self._open = None

    def handle_data(self, data):
        if self._open and self._open.tag == "textarea":
            self._open.value += data

    def filled(self, request, **chosen):
        """Return what a browser sends once the fields of the request are filled in."""
        sent = MultiDict()
        for name, controls in self.controls.items():
            if name.startswith("_empty.") and request.get(name[7:], 1) in (
                None,
                "",
                [],
            ):
                value = request[name[7:]]
                sent[name] = "null" if value is None else "empty"
            elif name in request:
                sent.setlist(name, _typed(controls, request[name], name))
            else:
                sent.setlist(name, _untouched(controls))
        missing = request.keys() - self.controls.keys()
        assert not missing, f"The form has no field for {missing}."
        for name, value in chosen.items():
            sent[name] = value
        return sent


def _typed(controls, value, name):
    first = controls[0]
    if first.type in ("checkbox", "radio"):
        values = value if isinstance(value, list) else [value]
        boxes = {control.value for control in controls}
        if boxes == {"true"}:
            return ["true"] if value else []
        assert set(values) <= boxes, f"{name} does not offer {values}."
        return values
    if first.tag == "select":
        text = str(value).lower() if isinstance(value, bool) else value
        assert value is None or text in first.options, f"{name} does not offer {value}."
        return [text or ""]
    if first.is_code:
        text = json.dumps(value, indent=1)
    elif isinstance(value, list):
        text = "\n".join(value)
    else:
        text = "" if value is None else str(value)
    assert first.tag == "textarea" or "\n" not in text
    return [_line_breaks(text)]


def _untouched(controls):
    first = controls[0]
    if first.type in ("checkbox", "radio"):
        return [c.value for c in controls if "checked" in c.attributes]
    return [_line_breaks(first.value)]


def _line_breaks(text):
    """Line breaks as every browser sends them."""
    return re.sub("\r\n?|\n", "\r\n", text)


class _Data(HTMLParser):
    """The JSON of the result on a page."""

    def __init__(self, page):
        super().__init__()
        self.text, self._is_open = None, False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "pre":
            classes = (dict(attributes).get("class") or "").split()
            self._is_open = "data" in classes
            if self._is_open:
                self.text = ""

    def handle_endtag(self, tag):
        if tag == "pre":
            self._is_open = False

    def handle_data(self, data):
        if self._is_open:
            self.text += data


def shown_data(page):
    """The data of the result that a page shows."""
    text = _Data(page).text
    assert text is not None, page
    return json.loads(text)
