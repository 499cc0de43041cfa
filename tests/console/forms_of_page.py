"""The forms of a page with their controls and buttons, as a browser sees them."""

from html.parser import HTMLParser

# In fields of these types, the Enter key presses the first button of the form.
SUBMITTING = {"checkbox", "date", "datetime-local", "email", "file", "number"}
SUBMITTING |= {"password", "radio", "search", "text", "url"}
MINOR = {"quiet-button", "plain"}


class FormsOfPage(HTMLParser):
    """Each form of a page: its action, the types of its fields, and its buttons."""

    def __init__(self, page):
        super().__init__()
        self.forms, self._form, self._by_id, self._folds = [], None, {}, []
        self._outside = []
        self.feed(page)
        for id, button in self._outside:
            self._by_id[id]["buttons"].insert(0, button)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        kind = attributes.get("type", "text")
        if tag == "details":
            self._folds.append([])
        elif tag == "form":
            self._form = {"action": attributes.get("action"), "fields": []}
            self._form |= {"buttons": [], "fold": self._folds[-1:]}
            self.forms.append(self._form)
            if self._folds:
                self._folds[-1].append(self._form)
            self._by_id[attributes.get("id")] = self._form
        elif tag == "button" and attributes.get("type", "submit") == "submit":
            if "form" in attributes:
                self._outside.append((attributes["form"], attributes))
            else:
                self._form["buttons"].append(attributes)
        elif self._form and tag in ("textarea", "select"):
            self._form["fields"].append(tag)
        elif self._form and tag == "input" and kind != "hidden":
            self._form["fields"].append(kind)

    def handle_endtag(self, tag):
        if tag == "form":
            self._form = None
        elif tag == "details":
            self._folds.pop()


def main_button(form):
    """Return the button with the main style, or the only one."""
    shown = [button for button in form["buttons"] if "hidden" not in button]
    if len(shown) == 1:
        return shown[0]
    major = [b for b in shown if not MINOR & {*b.get("class", "").split()}]
    # A preview repeats the main button of the form below it.
    return major[0] if len({sent_by(button) for button in major}) == 1 else None


def sent_by(button):
    return button.get("name"), button.get("value"), "formnovalidate" in button


def enter_is_safe(form):
    """Return whether the Enter key in a field presses the main button, or nothing."""
    if not SUBMITTING & {*form["fields"]} or not form["buttons"]:
        return True
    pressed, main = form["buttons"][0], main_button(form)
    does_nothing = pressed.get("formmethod") == "dialog"
    return does_nothing or (main is not None and sent_by(pressed) == sent_by(main))


def is_confirmed_first(form):
    """Return whether a button that removes something requires a confirmation."""
    classes = {name for b in form["buttons"] for name in b.get("class", "").split()}
    if "danger" not in classes:
        return True
    # The removal has its own fold, or requires a name or a choice first.
    is_named = not {"text", "textarea", "select", "radio"}.isdisjoint(form["fields"])
    return is_named or any(len(fold) == 1 for fold in form["fold"])
