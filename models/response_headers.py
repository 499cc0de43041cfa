"""Decide on response headers: CSP, CORS, caching and types of the site and the API."""

from collections.abc import Mapping

from models.site_addresses import url_path

CONTENT_TYPES = {
    ".atom": "application/atom+xml; charset=utf-8",
    ".avif": "image/avif",
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".gif": "image/gif",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".ics": "text/calendar; charset=utf-8",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".mp4": "video/mp4",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".rss": "application/rss+xml; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".webm": "video/webm",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
    ".xml": "application/xml; charset=utf-8",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".zip": "application/zip",
}

# All but the first are revalidated on each request, which costs no body. A page that
# does not show the current state may still be served when its origin is down.
CACHE_CONTROL = {
    "immutable": "public, max-age=31536000, immutable",
    "page": "public, max-age=0, stale-if-error=604800",
    "volatile": "public, max-age=0, must-revalidate",
    "never": "no-store",
}
# The cache class of every path of the site. No path matches two rules: static hosts
# would join their headers, and a header with two lifetimes is invalid.
PATH_RULES = {
    "/assets/*": "immutable",
    "/files/*": "immutable",
    "/": "volatile",
    "/404.html": "page",
    "/guides/*": "page",
    "/llms-full.txt": "page",
    "/llms.txt": "page",
    "/manifest.json": "page",
    "/openapi.json": "page",
    "/problems/*": "page",
    "/products/*": "page",
    "/reference/*": "page",
    "/robots.txt": "page",
    "/search/*": "page",
    "/sitemap.xml": "page",
    "/sitemaps/*": "page",
    "/support/*": "page",
    # Paths of an imported status page, which redirect.
    "/affected/*": "page",
    "/history/*": "page",
    "/incident/*": "page",
    "/incidents/*": "page",
    "/issues/*": "page",
    "/api/*": "volatile",
    "/builds/*": "volatile",
    "/history.atom": "volatile",
    "/history.rss": "volatile",
    "/status.txt": "volatile",
    "/status/": "volatile",
    "/status/badge.svg": "volatile",
    "/status/badges/*": "volatile",
    "/status/data/*": "volatile",
    "/status/embed/*": "volatile",
    "/status/feed.atom": "volatile",
    "/status/feed.json": "volatile",
    "/status/feed.rss": "volatile",
    "/status/history/*": "volatile",
    "/status/how/*": "volatile",
    "/status/incidents.json": "volatile",
    "/status/incidents/*": "volatile",
    "/status/index.json": "volatile",
    "/status/maintenance.ics": "volatile",
    "/status/maintenance.json": "volatile",
    "/status/maintenance/*": "volatile",
    "/status/services/*": "volatile",
    "/build.json": "never",
}

# Files that configure static hosts, which no reader gets.
HOST_FILES = {"_headers", "_redirects"}

# What a page may load. frame-ancestors has no effect in a meta element. The host that
# forms are sent to is added if it is not that of the site.
PAGE_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:;"
    " font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'"
)
# Files that people have added: a browser runs nothing in them, and lets them load
# nothing.
FILES = "/files/*"
FILE_SECURITY_POLICY = (
    "default-src 'none'; img-src data:; media-src 'self'; style-src 'unsafe-inline';"
    " sandbox; frame-ancestors 'none'"
)
# The only pages that other sites may show in a frame.
EMBEDDABLE = "/status/embed/*"
# The whole site is public, so scripts of any origin may read it.
SITE_HEADERS: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
}
# The headers of every response that is not a file of the site: a browser must not
# execute it, frame it, or guess its type.
DEFAULT_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}


def reader_page_headers(site_origin: str) -> dict[str, str]:
    """
    Return the headers of pages about a subscription.

    Their addresses contain a token, which no other site and no cache must get. They
    have no scripts; the styles are the site's, which may be on another host.
    """
    site = f"'self' {site_origin}".rstrip()
    return {
        "Content-Security-Policy": (
            f"default-src 'none'; style-src {site}; font-src {site};"
            f" img-src {site} https:; base-uri 'none'; form-action 'self';"
            " frame-ancestors 'none'"
        ),
        "Cache-Control": "no-store",
        "Content-Type": CONTENT_TYPES[".html"],
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Robots-Tag": "noindex",
    }


def console_headers() -> dict[str, str]:
    """
    Return the headers of the console's pages, which show what a signed-in user may see.

    The referrer stays on the host; without any, browsers would send no origin with
    forms. Pictures of documents may be on other hosts.
    """
    return {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self';"
            " img-src 'self' https: data: blob:; connect-src 'self'; frame-src 'self';"
            " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        ),
        "Cache-Control": "no-store",
        "Content-Type": CONTENT_TYPES[".html"],
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "X-Robots-Tag": "noindex",
    }


def content_type(path: str) -> str:
    """Return the Content-Type; a file without a suffix is plain text."""
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    if not stem or not suffix:
        return CONTENT_TYPES[".txt"]
    return CONTENT_TYPES.get((dot + suffix).lower(), "application/octet-stream")


def path_rule(path: str) -> str | None:
    """Return the key in PATH_RULES that matches the file, or None."""
    rule, folder = url_path(path), path
    while rule not in PATH_RULES:
        folder, slash, _ = folder.rpartition("/")
        if not slash:
            return None
        rule = f"/{folder}/*"
    return rule


def cache_class(path: str) -> str:
    """Return the key in CACHE_CONTROL for the file."""
    return PATH_RULES.get(path_rule(path) or "", "page")


def page_security_policy(form_origin: str = "") -> str:
    """Return what pages may load, and that forms are sent to another host, if any."""
    return f"{PAGE_SECURITY_POLICY} {form_origin}".rstrip()


def content_security_policy(rule: str | None, form_origin: str = "") -> str:
    """Return the Content-Security-Policy of the files that match the rule."""
    if rule == FILES:
        return FILE_SECURITY_POLICY
    ancestors = "*" if rule == EMBEDDABLE else "'none'"
    return f"{page_security_policy(form_origin)}; frame-ancestors {ancestors}"


def site_headers(path: str, form_origin: str = "") -> dict[str, str]:
    """Return the response headers of a file of the site."""
    policy = content_security_policy(path_rule(path), form_origin)
    return {
        **SITE_HEADERS,
        "Content-Security-Policy": policy,
        "Cache-Control": CACHE_CONTROL[cache_class(path)],
        "Content-Type": content_type(path),
    }
