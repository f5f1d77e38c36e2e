"""The store: results of long work by a digest of all they depend on, and the runner that fills it.

Searches, sweeps, studies and the designer cut their work into tasks, run them here, in one process
or many, and resume from the same file.
"""

from hopscape.store.digest import digest, file_digest
from hopscape.store.pools import Processes
from hopscape.store.records import Store, opened
from hopscape.store.task import Task
from hopscape.store.tasks import Work, run_tasks

__all__ = ["Processes", "Store", "Task", "Work", "digest", "file_digest", "opened", "run_tasks"]
