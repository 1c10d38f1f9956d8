"""Numbers as the screen writes them."""


def grouped(number: int) -> str:
    """Thousands grouped: ``58,910``."""
    return f"{number:,}"


def short(number: int) -> str:
    """At most five characters: ``950``, ``58.9k``, ``128k``, ``1.0M``."""
    if number < 1_000:
        return str(number)
    if number < 99_950:
        return f"{number / 1_000:.1f}k"
    if number < 999_500:
        return f"{number / 1_000:.0f}k"
    return f"{number / 1_000_000:.1f}M"


def shortest(number: int) -> str:
    """At most four characters: ``57k``, ``128k``, ``1M``."""
    if number < 1_000:
        return str(number)
    if number < 999_500:
        return f"{number / 1_000:.0f}k"
    return f"{number / 1_000_000:.0f}M"


def percent(part: int, whole: int) -> str:
    """Share in whole percent, never 100 % before it is full nor 0 % when there is something."""
    if whole <= 0:
        return "0%"
    share = round(100 * part / whole)
    if share == 0 and part > 0:
        share = 1
    if share == 100 and part < whole:
        share = 99
    return f"{share}%"


def seconds(value: float) -> str:
    """A duration: ``0.0 s``, ``12.3 s``, ``4 min 05 s``."""
    if value < 100:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min"
