"""The store: results of long work by a digest of all they depend on, and the runner that fills it.

Searches, sweeps, studies and the designer cut their work into tasks, run them here, in one process
or many, and resume from the same file.
"""

from hopscape.store.records import Store, digest, file_digest, opened
from hopscape.store.tasks import Processes, Task, Work, renamed_arguments, run_tasks

__all__ = [
    "Processes",
    "Store",
    "Task",
    "Work",
    "digest",
    "file_digest",
    "opened",
    "renamed_arguments",
    "run_tasks",
]
