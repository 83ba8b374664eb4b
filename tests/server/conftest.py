"""Agents that take the sample exam: in memory, over standard input and output, over HTTP."""

from serving import agent_of as agent_of
from serving import cluster as cluster
from serving import either_store as either_store
from serving import environment as environment
from serving import era as era
from serving import exam as exam
from serving import exam_of_era as exam_of_era
from serving import golds as golds
from serving import hosted as hosted
from serving import opening as opening
from serving import place as place
from serving import postgresql as postgresql
from serving import right as right
from serving import serve as serve
from serving import shared as shared
from serving import store as store
