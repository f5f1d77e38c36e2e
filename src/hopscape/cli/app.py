"""The application: its commands are imported and built only when they are called.

How the command line is ended from outside.
"""

from __future__ import annotations

import importlib
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import fields
from functools import wraps
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_args, get_type_hints

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.models import OptionInfo

from hopscape._version import __version__
from hopscape.cli.completion import completer
from hopscape.cli.config import read_config, write_config
from hopscape.cli.ended import EndedError
from hopscape.cli.options import (
    OUTPUT_PANEL,
    ConfigOption,
    OptionGroup,
    former_options,
    given,
    hint_at,
    note_given,
)
from hopscape.cli.output import Format, FormatOption, OutputOption, output_settings, refuse_columns
from hopscape.cli.overview import added_group, contents, former_name, print_jobs
from hopscape.cli.progress import install_progress
from hopscape.core.errors import ArgumentError
from hopscape.core.kernel_cache import allow_compiling_ahead

__all__ = ["app"]

_ENDINGS = {
    ".json": "json",
    ".csv": "csv",
    ".parquet": "parquet",
    ".md": "md",
    ".html": "html",
    ".htm": "html",
    ".txt": "table",
}

_VALUES = {
    **dict.fromkeys(("int", "integer"), "N"),
    "float": "NUMBER",
    **dict.fromkeys(("str", "text"), "TEXT"),
    "path": "FILE",
}
"""What help pages call the value of an option, by its type."""


class _Strict(TyperCommand):
    """A command with what all have in common.

    It refuses an option that is given twice, lets the ending of -o choose the format, takes options
    from a file, and has --wide and --columns for its tables.
    """

    groups: tuple[type[OptionGroup], ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.help = _unwrapped(self.help or "")
        names = {param.name for param in self.params}
        for param in self.params:
            if isinstance(param, TyperOption) and not (param.metavar or param.is_flag):
                param.metavar = _VALUES.get(param.type.name.partition(" ")[0])
            if isinstance(param, TyperArgument) and param.type.name in _VALUES:
                param.metavar = param.metavar or str(param.name).upper()
                param.type = copy(param.type)  # its name says what it is: SPEC, FILE
                param.type.get_metavar = lambda *_, **__: ""  # type: ignore[method-assign]
            complete = completer(str(param.name))
            if complete is not None:
                param._custom_shell_complete = complete
        if "style" not in names:
            return
        self._add_option("--wide", "wide", "Show all columns, however wide.", is_flag=True)
        if "columns" not in names:
            some = "Only these columns of the table, separated by commas."
            self._add_option("--columns", "shown", some, metavar="NAMES")
        self.params.append(TyperOption(**ConfigOption, expose_value=False))
        text = "Print all options with their values as TOML, and exit."
        self._add_option("--write-config", "write_config", text, is_flag=True)

    def _add_option(self, option: str, name: str, text: str, **more: Any) -> None:
        """An option that the command itself does not see."""
        self.params.append(
            TyperOption(
                param_decls=[option, name],
                help=text,
                expose_value=False,
                rich_help_panel=OUTPUT_PANEL,
                **more,
            )
        )

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, with the options of the kind that was asked for."""
        kinds = [group for group in self.groups if group.keys]
        if not kinds:
            super().format_help(ctx, formatter)
            return
        wanted = [group for group in kinds if given(*group.keys)]
        hidden: set[str] = set()
        for group in kinds:
            names = {one.name for one in fields(group)}  # type: ignore[arg-type]
            if group not in wanted:
                hidden |= names - (set() if wanted else set(group.keys))
        page = copy(self)
        page.groups = ()
        page.params = [one for one in self.params if one.name not in hidden]
        if not wanted:
            by_name = {one.name: max(one.opts, key=len) for one in self.params}
            calls = [f"{ctx.command_path} {by_name[group.keys[0]]} 64 --help" for group in kinds]
            page.epilog = "More options, of one kind each: " + "; ".join(calls)
        page.format_help(ctx, formatter)

    @property
    def former(self) -> dict[str, str]:
        """Old names of its options, and the new ones."""
        return former_options(str(self.name), (word for one in self.params for word in one.opts))

    def make_parser(self, ctx: Any) -> Any:
        """A parser that takes the old names of options as well."""
        parser = super().make_parser(ctx)
        by_name = {word: one for one in self.params for word in one.opts}
        for old, new in self.former.items():
            if not old.startswith("-"):
                continue
            renamed = copy(by_name[new])
            renamed.opts = [old]
            renamed.add_to_parser(parser, ctx)
        return parser

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        typed, left, order = self.make_parser(ctx).parse_args(args=list(args))
        args = self._folder_of_old(typed, left, args)
        self._check_once(order)
        if not ctx.resilient_parsing:
            for one in order:
                if one.opts[0] in self.former:
                    hint_at(one.opts[0], self.former[one.opts[0]])
        if typed.get("config"):
            words, renamed = read_config(str(typed["config"]), self, typed, self.former)
            for old, new in renamed:
                hint_at(old, new)
            args = [*words, *args]
            typed = self.make_parser(ctx).parse_args(args=list(args))[0]
        if typed.get("write_config"):
            print(write_config(str(ctx.info_name), self, typed), end="")
            ctx.exit()
        options = [one for one in self.params if one.param_type_name == "option"]
        note_given({str(o.name): max(o.opts, key=len) for o in options if o.name in typed})
        if "style" not in typed and "output" in typed:
            args = self._by_ending(typed, args)
        left = super().parse_args(ctx, args)
        output_settings.wide = bool(typed.get("wide", False))
        output_settings.columns = tuple(
            w.strip() for w in str(typed.get("shown", "")).split(",") if w.strip()
        )
        output_settings.markup = ""
        style = str(ctx.params.get("style") or "table")  # None while a shell completes
        if style in ("md", "html"):
            output_settings.markup = style
        output_settings.style = Format.table if output_settings.markup else Format(style)
        output_settings.output = None
        if not ctx.resilient_parsing:
            refuse_columns()
        return left

    def _by_ending(self, typed: Mapping[str, Any], args: list[str]) -> list[str]:
        """Let the ending of -o choose: a format of tables, or the file that --save writes.

        A collective's JSON file is its schedule; its figures are printed with --format json.
        """
        names = {str(one.name) for one in self.params}
        output = str(typed["output"])
        ending = Path(output).suffix.lower()
        helped = {str(one.name): getattr(one, "help", "") for one in self.params}
        common = helped["output"] == get_args(OutputOption)[1].help
        if "style" not in names or not ending or not common:  # emit writes code there
            return args
        schedule = "save" in names and "save" not in typed and ending == ".json"
        if schedule and not typed.get("listed") and typed.get("algorithm") != "list":
            return _renamed(args, ("-o", "--output"), "--save")
        if ending in _ENDINGS:
            return ["--format", _ENDINGS[ending], *args]
        if "save" in names and "save" not in typed:
            return _renamed(args, ("-o", "--output"), "--save")
        raise ArgumentError(
            f"-o {output}: the ending {ending} is unknown; it must be one of"
            f" {', '.join(_ENDINGS)}, or --format says the format"
        )

    @staticmethod
    def _check_once(order: Iterable[Any]) -> None:
        """Refuse an option that is given twice, were it under its old name and its new one."""
        options = [one for one in order if one.param_type_name == "option" and not one.multiple]
        for name, times in Counter(str(one.name) for one in options).items():
            if times > 1:
                spelled = max(next(one for one in options if one.name == name).opts, key=len)
                raise ArgumentError(f"{spelled} is given {times} times; it can be given once")

    def _folder_of_old(
        self, typed: Mapping[str, Any], left: list[str], args: list[str]
    ) -> list[str]:
        """A folder without an option, as studies took it, becomes --out."""
        if "FOLDER" not in self.former or len(left) != 1 or "out" in typed:
            return args
        hint_at(left[0], f"--out {left[0]}")
        place = len(args) - 1 - args[::-1].index(left[0])
        return ["--out", left[0], *args[:place], *args[place + 1 :]]


def _unwrapped(text: str) -> str:
    """A text whose paragraphs are a line each: the terminal alone wraps them.

    Examples:
        >>> _unwrapped("Says\\nwhat.\\n\\nAnd\\nhow.")
        'Says what.\\n\\nAnd how.'
    """
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _renamed(args: Sequence[str], old: Sequence[str], new: str) -> list[str]:
    """Arguments with an option under another name: ``-o FILE``, ``-oFILE``, ``--output=FILE``."""
    out = []
    for word in args:
        name, mark, value = word.partition("=")
        if word in old:
            out.append(new)
        elif name in old and mark:
            out.append(f"{new}={value}")
        elif word.startswith(old[0]) and not word.startswith("--"):
            out.append(f"{new}={word[len(old[0]) :].removeprefix('=')}")
        else:
            out.append(word)
    return out


@contextmanager
def _in_a_sentence() -> Iterator[None]:
    """Wrong options and arguments are refused as all else is, not in a box of any length."""
    try:
        yield
    except Exception as error:
        helps = type(error).__name__ == "NoArgsIsHelpError"
        if helps or not hasattr(error, "format_message"):  # no error of typer's
            raise
        path = getattr(getattr(error, "ctx", None), "command_path", "hopscape")
        message = error.format_message().strip().rstrip(".")
        message = f"{message[:1].lower()}{message[1:]};"
        if near := getattr(error, "possibilities", None):
            message = f"{message.split(' (')[0]}; did you mean {' or '.join(near)}?"
        raise ArgumentError(f"{message} '{path} -h' helps") from error


class _LazyGroup(TyperGroup):
    """Imports and builds a command when it is asked for: starting must stay quick."""

    contents: ClassVar[dict[str, tuple[str, str]]] = {}
    """Panel, and module and function, by name."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.contents)

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _in_a_sentence():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        try:
            with _in_a_sentence():
                return super().invoke(ctx)
        except (KeyboardInterrupt, BrokenPipeError) as error:
            raise EndedError from error

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        panel, place = self.contents.get(cmd_name, ("", None))
        if place is None:
            return None
        if not place:
            return _group(cmd_name, panel)
        return _command(cmd_name, place, panel)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is called, or the nearest names."""
        name = args[0]
        if name in self.contents or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        group = added_group(str(self.name)) if self.name else None
        bare = group.bare if group is not None else ""
        if bare and not near_words(name, self.contents):
            hint_at(str(self.name), f"{self.name} {bare}")
            return super().resolve_command(ctx, [bare, *args])
        raise ArgumentError(_unknown(str(ctx.command_path), name, self.contents))


def _command(name: str, place: str, panel: str) -> Any:
    """A command, imported and built."""
    module, _, function = place.partition(":")
    room = importlib.import_module(module)
    single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    command, groups = _with_options(getattr(room, function))
    single.command(name, cls=_Strict, rich_help_panel=panel)(command)
    built = typer.main.get_command(single)
    built.groups = groups  # type: ignore[attr-defined]
    return built


def _with_options(
    function: Callable[..., None],
) -> tuple[Callable[..., None], tuple[type[OptionGroup], ...]]:
    """A command for typer, and its groups of options.

    Groups become their options, flags have no opposite, and a result has --format and --output. A
    command with an --output of its own writes something else than its result there.
    """
    signature = inspect.signature(function, eval_str=True)
    kind = Parameter.KEYWORD_ONLY
    groups: dict[str, type[OptionGroup]] = {}
    parameters: list[Parameter] = []
    for one in signature.parameters.values():
        if inspect.isclass(one.annotation) and issubclass(one.annotation, OptionGroup):
            groups[one.name] = one.annotation
            parameters += _group_options(one.annotation)
        else:
            parameters.append(_flag(one.replace(kind=kind)))
    own = "output" in signature.parameters
    if not own:
        for name, option, default in (
            ("style", FormatOption, Format.table),
            ("output", OutputOption, None),
        ):
            parameters.append(Parameter(name, kind, annotation=option, default=default))

    @wraps(function)
    def command(**options: Any) -> None:
        if not own:
            del options["style"]
            output_settings.output = options.pop("output")
        for name, group in groups.items():
            members = {one.name: options.pop(one.name) for one in fields(group)}  # type: ignore[arg-type]
            options[name] = group(**members)
        try:
            function(**options)
        finally:
            output_settings.output = None

    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command, tuple(groups.values())


def _group_options(group: type[OptionGroup]) -> list[Parameter]:
    """The options of a group, in its panel of the help."""
    hints = get_type_hints(group, include_extras=True)
    out = []
    for one in fields(group):  # type: ignore[arg-type]
        kind, option = get_args(hints[one.name])
        option = copy(option)
        option.rich_help_panel = group.title or None
        parameter = Parameter(
            one.name, Parameter.KEYWORD_ONLY, annotation=Annotated[kind, option],
            default=one.default,
        )  # fmt: skip
        out.append(_flag(parameter))
    return out


def _flag(parameter: Parameter) -> Parameter:
    """An option of type bool by its name alone: typer would add --no-NAME."""
    kind, *more = get_args(parameter.annotation) or (None,)
    if kind is not bool or not isinstance(more[0], OptionInfo) or more[0].default is not ...:
        return parameter
    option = copy(more[0])
    option.param_decls = (f"--{parameter.name.replace('_', '-')}",)
    return parameter.replace(annotation=Annotated[bool, option])


def near_words(word: str, known: Iterable[str]) -> list[str]:
    """Up to three known words that look like this one.

    Examples:
        >>> near_words("desing", ["design", "show"])
        ['design']
    """
    import difflib

    return difflib.get_close_matches(word.lower(), list(known), n=3)


def _unknown(path: str, name: str, known: Iterable[str]) -> str:
    """There is no such command, but perhaps one like it."""
    group = path.removeprefix("hopscape").strip()
    places = {f"{group} {one}".strip(): one for one in known}
    if not group:
        for other, (_, members) in contents().groups.items():
            places |= {f"{other} {member}": member for member in members}
    similar = near_words(name, places.values())
    best = list(
        dict.fromkeys(call for word in similar for call, one in places.items() if one == word)
    )
    hint = f"did you mean {' or '.join(best[:3])}?" if best else f"'{path} --help' lists them"
    return f"command {name!r} is unknown; {hint}"


def _group(name: str, panel: str) -> Any:
    """A group of commands, such as 'hopscape search'."""
    text, members = contents().groups[name]
    added = added_group(name)
    places = {member: ("Commands", place) for member, place in members.items()}
    kind = type("_Group", (_LazyGroup,), {"contents": places})
    help_text = text or (added.summary if added is not None else "")
    group = typer.Typer(name=name, cls=kind, help=help_text, no_args_is_help=True)
    group.callback()(lambda: None)
    made = typer.main.get_group(group)
    made.rich_help_panel = panel
    return made


class _Commands(_LazyGroup):
    contents: ClassVar[dict[str, tuple[str, str]]] = {
        name: (panel, place)
        for panel, members in contents().panels.items()
        for name, place in members.items()
    }

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        former = former_name(args[0]) if args[0] not in self.contents else None
        if former is not None:
            place, new = former
            hint_at(args[0], new)
            return args[0], _command(args[0], place, ""), args[1:]
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """All commands on one screen, the main job first."""
        from hopscape.cli.overview import print_overview

        print_overview({name: self.get_command(ctx, name) for name in self.contents})


app = typer.Typer(
    name="hopscape",
    cls=_Commands,
    help="Which network should I build, how do I route and broadcast on it, will it hold up?",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"hopscape {__version__}")
        raise typer.Exit


@app.callback()
def _start(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print_jobs()
        return
    install_progress(context.invoked_subcommand)
    allow_compiling_ahead()
