"""Recomputed references: from the item's own record, and from its page if that is known.

These checks do not use the makers: texts and positions of elements and the content of tables are
read from the frozen page, and compared with the item.
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
"""The recomputing checks."""
