"""Parse the header of a request strictly."""

from waitress.parser import HTTPRequestParser, ParsingError


class Parser(HTTPRequestParser):
    """
    Rejects requests whose end a proxy and this server could see in different places.

    Waitress accepts a chunked body with a Content-Length, and takes what follows the
    last chunk for the next request; a proxy may have gone by the Content-Length. This
    is known as request smuggling.
    """

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            # A number of thousands of digits, or an invalid URL.
            raise ParsingError("The header cannot be parsed") from error
        is_old_and_chunked = "TRANSFER_ENCODING" in self.headers
        if is_old_and_chunked or (self.chunked and "CONTENT_LENGTH" in self.headers):
            raise ParsingError("The length of the body is ambiguous")
