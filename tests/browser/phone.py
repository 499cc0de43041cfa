"""A person with a phone, who does what the console is for; taps are counted."""

# By how much a page is wider than the screen.
EXCESS = "document.documentElement.scrollWidth - window.innerWidth"
WIDTH = {"width": 390, "height": 844}


class Phone:
    """
    A page of a browser, by the roles and names of its controls.

    A tap is a touch of a link, a button, a box or a choice; entering a text is not one,
    and neither is the touch that a field needs before it.
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

    def choose(self, label, option):
        # A list is opened and closed by its choice.
        self.taps += 2
        self.page.get_by_label(label).first.select_option(label=option)

    @property
    def heading(self):
        return self.page.locator("h1").first.inner_text()

    @property
    def notice(self):
        return self.page.get_by_role("status").inner_text()


def sign_in(phone, key):
    phone.open()
    phone.enter("Key", key)
    phone.press("Sign in")


def open_incident(phone):
    """From the front page to the incident's own, with two texts."""
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


# What people do most, in the order of a night on call.
FLOWS = (
    ("open an incident", open_incident),
    ("post an update", post_update),
    ("resolve", resolve),
    ("correct an entry", correct),
)


def menu_of(phone):
    """Return the paths below /console/ of the pages in the menu."""
    menu = phone.page.locator("nav[aria-label=Console] a")
    addresses = [link.get_attribute("href") for link in menu.all()]
    return [address.removeprefix("/console/") for address in addresses]
