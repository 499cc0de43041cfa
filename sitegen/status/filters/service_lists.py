"""Name services in a sentence, some of them or all."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from models.display_text import balance_directions
from sitegen.status.filters.labels import Moments, StateLabels

# How many services of an incident are named where its own page is a link away.
MAX_NAMES = 8

# A service, or another thing with a name and the address of its page.
Service = Mapping[str, Any]


class ServiceLists:
    """Lists of services, and of links, in a language."""

    def __init__(self, labels: StateLabels, moments: Moments) -> None:
        self._labels, self._locale, self._moments = labels, labels.locale, moments

    def service_names(
        self, services: Iterable[Service], href: str | None = None
    ) -> Markup:
        """Join the names of services; `href` is the page that has all, if not this."""
        names = (_isolated(service["name"]) for service in services)
        return self._first(names, href)

    def service_links(
        self, services: Iterable[Service], href: str | None = None
    ) -> Markup:
        """Join the names of services; those with a page are links."""
        return self._first(map(_service_link, services), href)

    def join_links(self, hrefs: Mapping[str, str | None]) -> Markup:
        """Join links by their texts, without those that lead nowhere."""
        return self.join_markup(
            Markup('<a href="{}">{}</a>').format(href, text)
            for text, href in hrefs.items()
            if href
        )

    def join_markup(self, items: Iterable[str]) -> Markup:
        """Join the items as a list in a sentence, each escaped unless it is markup."""
        return Markup(self._locale.join_list([str(escape(item)) for item in items]))  # noqa: S704

    def join_names(self, names: Iterable[str], others: int = 0) -> Markup:
        """Join names, each in its own direction; `others` are as many as left out."""
        return self._with_others(list(map(_isolated, names)), others)

    def affected_services(self, affected: Mapping[str, Any]) -> Markup:
        """Join the services that are not operational, each with its state."""
        text = escape(self._locale.pattern("status.affected-service"))
        named = [
            text.format(
                service=_service_link(service),
                state=self._labels.state_label(service["state"]),
            )
            for service in affected["services"]
        ]
        return self._with_others(named, affected["others"])

    def missing_services(self, missing: Mapping[str, Any]) -> Markup:
        """Join the services without data, each with the time since when."""
        never = escape(self._locale.pattern("status.service-never"))
        since = escape(self._locale.pattern("status.service-since"))
        named = [
            since.format(
                service=_service_link(service),
                time=self._moments.moment(service["since"]),
            )
            if service["since"]
            else never.format(service=_service_link(service))
            for service in missing["services"]
        ]
        return self._with_others(named, missing["others"])

    def _first(self, names: Iterable[Markup], href: str | None) -> Markup:
        """Join all names, or only the first if the page at `href` has the others."""
        names = list(names)
        if href is None:
            return self.join_markup(names)
        return self._with_others(names[:MAX_NAMES], len(names[MAX_NAMES:]), href)

    def _with_others(
        self, named: Sequence[Markup], others: int, href: str | None = None
    ) -> Markup:
        """Join the names, and say how many others there are; `href` has them."""
        if not others:
            return self.join_markup(named)
        text = escape(self._locale.text("status.more-services", count=others))
        more = Markup('<a href="{}">{}</a>').format(href, text) if href else text
        return self.join_markup([*named, more])


def _isolated(name: str) -> Markup:
    return Markup("<bdi>{}</bdi>").format(balance_directions(name))


def _service_link(service: Service) -> Markup:
    name = _isolated(service["name"])
    if not service["href"]:
        return name
    return Markup('<a href="{}">{}</a>').format(service["href"], name)
