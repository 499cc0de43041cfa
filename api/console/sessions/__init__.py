"""Sign people in and out, and recognise them."""
