"""What a server sends, from bytes to text: unpacked within bounds, read in the right encoding."""

import codecs
import re
import zlib

from paitui.tools.encoding import sniff

_PIECE = 65_536
_ALIASES = {
    # What pages call by the name of a part is read as the whole, as browsers do.
    "gb2312": "gb18030",
    "gb_2312-80": "gb18030",
    "gbk": "gb18030",
    "cp936": "gb18030",
    "x-gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "shift_jis": "cp932",
    "x-sjis": "cp932",
    "big5": "big5hkscs",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "utf8": "utf-8",
}
_KNOWN = re.compile(
    r"utf-8|utf-16(?:le|be|-le|-be)?|gb18030|hz(?:-gb-2312)?|big5hkscs|euc-(?:jp|tw)|iso-2022-jp|cp(?:932|949|874|866|125[0-8])"
    r"|windows-(?:874|125[0-8])|iso-8859-(?:[1-9]|1[0-6])|koi8-[ru]|tis-620|macintosh"
)
"""Python knows other codecs as well, some of which take forever on hostile bytes."""
_META = re.compile(rb"""<meta[^>]{0,300}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([A-Za-z0-9_:.-]{2,40})""", re.IGNORECASE)
_XML = re.compile(rb"""^\s{0,99}<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([A-Za-z0-9_:.-]{2,40})["']""")


class PackingError(Exception):
    """The bytes are not packed as the server says."""


class Unpacker:
    """Unpacks a body piece by piece, never more than is wanted.

    Args:
        packing: `Content-Encoding`: empty, ``identity``, ``gzip`` or ``deflate``.

    Raises:
        PackingError: It is another one, or several.
    """

    def __init__(self, packing: str) -> None:
        packing = packing.strip().lower()
        if packing not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise PackingError(packing[:40])
        self._inflate = (
            None if packing in ("", "identity") else zlib.decompressobj(47 if packing != "deflate" else 15)
        )
        self._bare_allowed = packing == "deflate"  # some servers leave the wrapper of zlib out

    def feed(self, data: bytes, room: int) -> bytes:
        """Unpack the next bytes.

        Args:
            data: As they came.
            room: Bytes that are wanted at most; what does not fit is dropped.

        Raises:
            PackingError: The bytes are damaged.
        """
        if self._inflate is None:
            return data[:room]
        parts: list[bytes] = []
        while data and room > 0 and not self._inflate.eof:
            try:
                part = self._inflate.decompress(data, min(room, _PIECE))
            except zlib.error as error:
                if not self._bare_allowed:
                    raise PackingError(str(error)) from error
                self._inflate = zlib.decompressobj(-15)
                self._bare_allowed = False
                continue
            self._bare_allowed = False
            parts.append(part)
            room -= len(part)
            data = self._inflate.unconsumed_tail
        return b"".join(parts)


def charset_of(content_type: str) -> str:
    """The `charset` of a `Content-Type`; empty if it names none."""
    found = re.search(r"""charset\s{0,9}=\s{0,9}["']?([^\s;"',]{1,40})""", content_type, re.IGNORECASE)
    return found[1] if found else ""


def decode(data: bytes, declared: str, is_html: bool, whole: bool) -> str:
    """Read bytes as text.

    A byte-order mark wins, then what the server says, then what the page says of itself, then what fits. A server's
    ISO-8859-1 counts behind the page's own word: it is often only the server's default, and fits any bytes.

    Args:
        data: The body.
        declared: Charset that the server names; may be empty.
        is_html: The page may name its charset itself.
        whole: False if the end was cut off, perhaps within a character.
    """
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    own = (_META.search(data[:8_192]) if is_html else None) or _XML.search(data[:512])
    named = [_codec(declared), _codec(own[1].decode("ascii")) if own else ""]
    if named[0] == "cp1252" and named[1]:
        named.reverse()
    for name in filter(None, named):
        try:
            return codecs.getincrementaldecoder(name)("strict").decode(data, whole)
        except UnicodeDecodeError:
            continue
    guess = sniff(data[:_PIECE], len(data) <= _PIECE)
    if guess is not None and not guess.guessed:
        return data.decode(guess.name, "replace")
    return data.decode(next(filter(None, named), "cp1252"), "replace")


def _codec(name: str) -> str:
    """Python's name for a charset; empty for one that is not read."""
    name = name.strip().lower()
    name = _ALIASES.get(name, name)
    return name if _KNOWN.fullmatch(name) else ""


def looks_binary(data: bytes) -> bool:
    """Whether bytes are no text of any kind, by their beginning."""
    sample = data[:_PIECE]
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    controls = sum(sample.count(bytes((code,))) for code in range(32) if code not in (9, 10, 12, 13, 27))
    return controls * 50 > len(sample)
