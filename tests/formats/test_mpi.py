"""Schedules on real MPI ranks, and what such runs refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from real_programs import needs

from hopscape.collectives.choose import run_algorithm
from hopscape.core.errors import FileFormatError, ScheduleError
from hopscape.core.goal import Goal
from hopscape.core.schedule import Schedule
from hopscape.formats.mpi_check import run_mpi
from hopscape.registry import build

SPEC = "circulant(8, 1, 3)"
GOALS = {
    "broadcast": Goal.broadcast(3),
    "scatter": Goal.scatter(2),
    "gather": Goal.gather(5),
    "reduce": Goal.reduce(1),
    "all-gather": Goal.all_gather(),
    "reduce-scatter": Goal.reduce_scatter(),
    "all-reduce": Goal.all_reduce(),
    "sliced": Goal.all_reduce(8),
    "all-to-all": Goal.all_to_all(),
    "permutation": Goal.permutation([1, 0, 3, 2, 5, 4, 7, 6]),
    "one-to-many": Goal("one-to-many", 0, 1, (3, 5)),
}


def _schedule(goal: Goal, spec: str = SPEC) -> Schedule:
    return run_algorithm(build(spec), goal, "generic", None)


def _saved(goal: Goal, folder: Path, **changes: Any) -> Path:
    path = folder / "plan.json"
    record = _schedule(goal).to_dict() | changes
    path.write_text(json.dumps(record))
    return path


class TestReal:
    """With MPI."""

    pytestmark = needs("mpi")

    @pytest.mark.parametrize("goal", GOALS)
    def test_as_by_mpis_own_collective(self, goal: str, tmp_path: Path) -> None:
        found = run_mpi(_saved(GOALS[goal], tmp_path))
        assert found, found.reason
        assert found.details["ranks"] == 8

    def test_a_lost_transfer_and_a_share_added_twice_are_noticed(self, tmp_path: Path) -> None:
        for goal, spoil in ((Goal.reduce(1), _twice), (Goal.all_gather(), _lost)):
            path = _saved(goal, tmp_path)
            record = json.loads(path.read_text())
            path.write_text(json.dumps(spoil(record)))
            assert not run_mpi(path)


def _lost(record: dict[str, Any]) -> dict[str, Any]:
    columns = {key: values[:-1] for key, values in record["transfers"].items()}
    return record | {"transfers": columns}


def _twice(record: dict[str, Any]) -> dict[str, Any]:
    columns = {key: [*values, values[-1]] for key, values in record["transfers"].items()}
    return record | {"transfers": columns}


def test_switches_are_no_ranks(tmp_path: Path) -> None:
    net = build("fat_tree(4)")
    columns = {"round": [1], "source": [0], "target": [int(net.heads[net.indptr[0]])]}
    record = {"format": "hopscape-schedule", "version": 1, "network": net.spec}
    record |= {"goal": {"kind": "broadcast", "root": 0}}
    record |= {"transfers": columns | {"chunk": [0], "ports": [[0]]}}
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(record))
    with pytest.raises(ScheduleError, match="a switch; only endpoints are MPI ranks"):
        run_mpi(path)


def test_what_is_no_schedule_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(FileFormatError, match="is not a schedule"):
        run_mpi(tmp_path / "x.json")


@pytest.mark.parametrize("goal", GOALS)
def test_files_keep_to_the_schema(goal: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    import hopscape.formats

    place = Path(hopscape.formats.__file__).with_name("schedule.schema.json")
    schema = json.loads(place.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    record = _schedule(GOALS[goal]).to_dict()
    jsonschema.validate(record, schema)
    for key in schema["required"]:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({k: v for k, v in record.items() if k != key}, schema)
