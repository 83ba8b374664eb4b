"""References worked out anew: from the item's own record, and from its page where that is known.

Nothing here asks a maker: what an element says, where it lies and what a table holds is read from
the page as it was frozen, and compared with what the item says.
"""

from snellen.tasks.audit import places, records, statements, texts
from snellen.tasks.audit.charts import check_chart
from snellen.tasks.audit.views import Check

CHECKS: tuple[Check, ...] = (
    *records.CHECKS,
    *places.CHECKS,
    check_chart,
    *texts.CHECKS,
    places.check_boxes,
    *statements.CHECKS,
)
"""What is worked out anew."""
