"""The calendar of a site: its opening hours, and the today from which its dates are derived."""

from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

_EVENING = 20 * 60


@dataclass(frozen=True, slots=True)
class Calendar:
    """The opening hours of a site and its today; weekdays count from Monday = 0, times in minutes.

    `coming` and `later` return days on which the site is open, after the week of today.
    """

    today: date = date(2026, 6, 17)  # the current date on all pages of the site
    days: tuple[int, ...] = (0, 1, 2, 3, 4)  # the weekdays with full hours, consecutive
    opens: int = 9 * 60  # the opening time on these days
    closes: int = 18 * 60  # the closing time on these days

    @property
    def short_day(self) -> int:
        """The weekday with short hours: the site opens later and closes earlier."""
        return self.days[-1] + 1

    @property
    def short_hours(self) -> tuple[int, int]:
        """The opening and the closing time on the short day."""
        return self.opens + 60, self.closes - 180

    @property
    def closed(self) -> tuple[int, ...]:
        """The weekdays on which the site is closed."""
        return tuple(day for day in range(7) if day not in (*self.days, self.short_day))

    @property
    def slots(self) -> tuple[int, ...]:
        """The start times of events, at most two hours apart."""
        first, last = self.opens + 30, self.closes - 120
        step = 105 if last - first > 360 else 90
        return tuple(range(first, last + 1, step))

    @property
    def monday(self) -> date:
        """The first day of the week of today."""
        return self.today - timedelta(self.today.weekday())

    def time(self, name: str, random: Random) -> int:
        """Return a random time of day; on full days, `time` lies well within the opening hours.

        Args:
            name: `morning` (before it opens), `midday` (also on the short day), `evening`, `time`,
                or `before_close`.
            random: The source of random numbers.
        """
        early, late = self.short_hours
        first, end = {
            "morning": (5 * 60, 7 * 60),
            "midday": (max(11 * 60, early + 30), min(14 * 60, late - 30)),
            "evening": (
                (17 * 60 + 30, self.closes - 90)
                if self.closes >= _EVENING
                else (_EVENING, _EVENING + 120)
            ),
            "time": (self.opens + 30, self.closes - 90),
            "before_close": (self.closes - 60, self.closes - 30),
        }[name]
        return random.randrange(-(-first // 15), end // 15 + 1) * 15

    def now(self, _: Random) -> date:
        """Return today."""
        return self.today

    def past(self, random: Random, before: date | None = None) -> date:
        """Return a day before `before`, or before today."""
        return (before or self.today) - timedelta(random.randrange(3, 60))

    def soon(self, random: Random) -> date:
        """Return a day 2 to 5 days from today."""
        return self.today + timedelta(random.randrange(2, 6))

    def coming(self, random: Random) -> date:
        """Return a day in the next weeks on which the site is open."""
        return self._open(self.monday + timedelta(7 * random.randrange(2, 7)), random)

    def later(self, random: Random) -> date:
        """Return a day in the next months on which the site is open."""
        return self._open(self.monday + timedelta(7 * random.randrange(9, 24)), random)

    def _open(self, monday: date, random: Random) -> date:
        return monday + timedelta(random.choice(self.days))


def draw_calendar(hours: tuple[int, int, int, int], weekend: bool, random: Random) -> Calendar:
    """Return the calendar of a site.

    Args:
        hours: The earliest and latest opening hour, then the earliest and latest closing hour.
        weekend: Whether it is open on Saturdays instead of on Mondays.
        random: The source of random numbers.
    """
    today = date(2026, 2, 2) + timedelta(7 * random.randrange(36) + random.randrange(4))
    first, last, early, late = (4 * hour for hour in hours)
    return Calendar(
        today=today,
        days=(1, 2, 3, 4, 5) if weekend else (0, 1, 2, 3, 4),
        opens=random.randrange(first, last + 1) * 15,
        closes=random.randrange(early, late + 1) * 15,
    )
