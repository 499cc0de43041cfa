"""
Check mail addresses, and make them comparable and ready for SMTP.

The module is pure: it reads no rows, no clock and no settings.
"""

# The longest address that SMTP can carry.
MAX_LENGTH = 254
GMAIL_DOMAINS = ("gmail.com", "googlemail.com")


def parse_mail_address(text: str) -> str:
    """
    Return the address as it is shown and stored; raise ValueError with a sentence.

    The domain is in Unicode and lower case. The part before the @-sign keeps its case,
    of which only the receiving domain knows whether it matters.
    """
    local_part, domain, _ = _parts(text)
    if "=?" in local_part:
        # Mail programs would decode it, to an address that nobody has entered.
        raise ValueError("An email address cannot contain an encoded word (=?).")
    return f"{local_part}@{domain}"


def folded_address(address: str) -> str:
    """
    Return the form in which two spellings of an address are equal.

    The part before the @-sign is compared without case, as every large provider does.
    """
    local_part, _, ascii_domain = _parts(address)
    return f"{local_part.casefold()}@{ascii_domain}"


def mailbox_of(address: str) -> str:
    """
    Return the mailbox that probably gets the mails to an address.

    Most domains ignore what follows a plus sign, and Gmail ignores dots too. This is
    for limits alone: at another domain, the two addresses may be two people's.
    """
    local_part, _, domain = folded_address(address).rpartition("@")
    local_part = local_part.partition("+")[0] or local_part
    if domain in GMAIL_DOMAINS:
        local_part, domain = local_part.replace(".", ""), GMAIL_DOMAINS[0]
    return f"{local_part}@{domain}"


def smtp_address(address: str) -> str:
    """
    Return the address with its domain in ASCII, as SMTP and mail headers carry it.

    What is left in Unicode, if anything, is the part before the @-sign, which needs
    SMTPUTF8.
    """
    local_part, _, ascii_domain = _parts(address)
    return f"{local_part}@{ascii_domain}"


def _parts(text: str) -> tuple[str, str, str]:
    """Return the local part, the domain, and the domain in ASCII."""
    # Here, because importing it takes 150 ms, and most processes need no address.
    from email_validator import EmailNotValidError, validate_email

    # Before anything else, because normalising takes quadratic time.
    if len(text) > MAX_LENGTH:
        raise ValueError(f"An email address has at most {MAX_LENGTH} characters.")
    try:
        found = validate_email(
            text.strip(" "),
            allow_smtputf8=True,
            allow_quoted_local=False,
            check_deliverability=False,
            strict=True,
        )
    except EmailNotValidError as error:
        raise ValueError(str(error)) from None
    return found.local_part, found.domain, found.ascii_domain.lower()
