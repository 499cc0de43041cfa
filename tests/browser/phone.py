"""A person with a phone who does the tasks of the console; taps are counted."""

import re
import struct
import zlib

from playwright.sync_api import expect


def _chunk(kind, data):
    return (
        struct.pack(">I", len(data))
        + kind
        + data
        + struct.pack(">I", zlib.crc32(kind + data))
    )


# A picture of one grey point.
PICTURE = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\x00\x80"))
    + _chunk(b"IEND", b"")
)
# By how much a page is wider than the screen.
EXCESS = "document.documentElement.scrollWidth - window.innerWidth"
WIDTH = {"width": 390, "height": 844}


class Phone:
    """
    A page of a browser, addressed by the roles and names of its controls.

    A tap is a touch of a link, a button, a box or a choice; entering a text is not one,
    and neither is focusing its field.
    """

    def __init__(self, page, address):
        self.page, self._address = page, address
        self.taps = 0
        self.texts = 0

    def open(self, path=""):
        self.page.goto(f"{self._address}/console/{path}")

    def press(self, name, role="button"):
        self.taps += 1
        self.page.get_by_role(role, name=name, exact=True).first.click()

    def follow(self, name):
        self.press(name, role="link")

    def unfold(self, text):
        self.taps += 1
        self.page.locator("summary", has_text=text).first.click()

    def enter(self, label, text):
        self.texts += 1
        self.page.get_by_label(label, exact=True).first.fill(text)

    def tick(self, label):
        self.taps += 1
        self.page.get_by_label(label, exact=True).first.check()

    def menu(self, name):
        """Go to a page of the menu, which is folded on a phone."""
        self.unfold("Menu")
        self.press(name, role="link")

    def choose(self, label, option):
        # A list is opened and closed by its choice.
        self.taps += 2
        self.page.get_by_label(label).first.select_option(label=option)

    @property
    def heading(self):
        return self.page.locator("h1").first.inner_text()

    @property
    def notice(self):
        return self.page.get_by_role("status").first.inner_text()


def sign_in(phone, key):
    phone.open()
    phone.enter("Key", key)
    phone.press("Sign in")


def open_incident(phone):
    """Go from the front page to the page of a new incident, with two texts."""
    phone.open()
    phone.follow("Open incident")
    phone.enter("Title", "Uploads fail")
    phone.tick("Object storage")
    phone.tick("Partial outage")
    phone.enter("Message", "We are looking into it.")
    phone.press("Open incident")
    assert phone.heading == "Uploads fail"


def post_update(phone):
    phone.open()
    phone.follow("Uploads fail")
    phone.enter("Message", "A disk was full.")
    phone.choose("Status", "Identified")
    phone.press("Post update")
    assert "posted" in phone.notice


def resolve(phone):
    phone.open()
    phone.follow("Uploads fail")
    phone.enter("Message", "Uploads work again.")
    phone.press("Resolve")
    assert phone.notice == "The incident is resolved."


def correct(phone):
    phone.open("incidents/")
    phone.follow("Uploads fail")
    phone.unfold("Correct")
    field = phone.page.locator("ol.timeline li").first.get_by_label("Message")
    phone.texts += 1
    field.fill("Uploads work again for everybody.")
    phone.press("Save")
    assert "corrected" in phone.notice


def see_what_is_wrong(phone):
    """The front page shows it without a tap."""
    phone.open()
    assert "not operational" in phone.page.content()


def plan_maintenance(phone):
    phone.open()
    phone.menu("Maintenance")
    phone.follow("Plan maintenance")
    phone.enter("Title", "New switches")
    phone.tick("Object storage")
    phone.enter("Starts", "2031-05-04T02:00")
    phone.enter("Ends", "2031-05-04T04:00")
    phone.enter("Message", "Uploads may pause for a minute.")
    phone.press("Plan maintenance")
    assert phone.heading == "New switches"


def fix_a_typo(phone):
    """Go from the front page to the published text."""
    phone.open()
    phone.menu("Documents")
    phone.page.locator("ul.rows a").first.click()
    phone.taps += 1
    text = phone.page.get_by_label("Text", exact=True)
    phone.enter("Text", text.input_value().replace("the", "The", 1))
    phone.press("Save and publish")
    assert phone.notice


def add_a_picture(phone):
    phone.open()
    phone.menu("Documents")
    phone.page.locator("ul.rows a").first.click()
    phone.taps += 2
    file = {"name": "cup.png", "mimeType": "image/png", "buffer": PICTURE}
    phone.page.get_by_label("Picture or file").set_input_files(file)
    if phone.page.get_by_role("button", name="Add picture").is_visible():
        phone.press("Add picture")
    text = phone.page.get_by_label("Text", exact=True)
    expect(text).to_have_value(re.compile(r"images/cup-\w+\.png"))
    phone.press("Save and publish")
    assert phone.notice


def issue_a_key(phone):
    phone.open()
    phone.menu("Keys")
    phone.follow("Issue key")
    phone.page.get_by_role("button", name="Probe").click()
    phone.taps += 1
    phone.enter("Name", "Probe in Oslo")
    phone.press("Issue key")
    assert "mh_" in phone.page.content()


# The most frequent tasks, in the order of a night on call and the day after.
FLOWS = (
    ("see what is wrong", see_what_is_wrong),
    ("open an incident", open_incident),
    ("post an update", post_update),
    ("resolve", resolve),
    ("correct an entry", correct),
    ("plan maintenance", plan_maintenance),
    ("fix a typo and publish", fix_a_typo),
    ("add a picture and publish", add_a_picture),
    ("issue a key for a probe", issue_a_key),
)


def menu_of(phone):
    """Return the paths below /console/ of the pages in the menu."""
    menu = phone.page.locator("nav[aria-label=Console] a")
    addresses = [link.get_attribute("href") for link in menu.all()]
    return [address.removeprefix("/console/") for address in addresses]
