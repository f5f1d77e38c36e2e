"""Jobs: a model, how it is cut over ranks, and a chip, from a short TOML file.

The reader checks everything that can be wrong before anything is built, and names the line. What a
layer computes and moves is counted here; :mod:`hopscape.workloads.transformer` puts it in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.reading import TomlFile, TomlTable

__all__ = [
    "Chip",
    "LanguageModel",
    "ModelJob",
    "Overlap",
    "Split",
    "chips",
    "load_chip",
    "read_job_file",
]

_FOLDER = Path(__file__).parent / "chips"
KINDS = ("training", "prefill", "decode")
SCHEDULES = ("1f1b", "interleaved", "gpipe")
RECOMPUTE = ("none", "selective", "full")
SHARD = ("none", "optimizer", "gradients", "parameters")
_OPTIMIZER_BYTES = 12
"""Of Adam in mixed precision: two moments and the weights, four bytes each."""


@dataclass(frozen=True)
class LanguageModel:
    """A transformer.

    Attributes:
        hidden, layers, heads, ffn, seq, vocab: As in its paper; `kv` heads hold keys and values.
        gated: Three matrices in the feed-forward part instead of two.
        experts, top: Experts of a layer and how many a token goes to; 0: one for all.
        shared: Experts besides, that every token goes to.
        dense, dense_ffn: The first layers that have no experts, and the width of their ffn.
        head: Width of a head; hidden / heads without.
        q_latent, kv_latent, rope: Queries and keys with values come out of vectors of these widths,
            and heads have so many dimensions more for positions (multi-head latent attention).
        flash: Is the matrix of attention never written to memory?
        bytes: Of a weight and of an activation.
    """

    hidden: int
    layers: int
    heads: int
    seq: int
    vocab: int
    kv: int = 0
    ffn: int = 0
    gated: bool = False
    experts: int = 0
    top: int = 0
    shared: int = 0
    dense: int = 0
    dense_ffn: int = 0
    head: int = 0
    q_latent: int = 0
    kv_latent: int = 0
    rope: int = 0
    flash: bool = True
    bytes: int = 2
    name: str = "model"

    @property
    def head_width(self) -> float:
        """Width of a head, without its dimensions for positions."""
        return self.head or self.hidden / self.heads

    @property
    def keys(self) -> float:
        """Width of keys, and of values, that are kept for later tokens: mean of both."""
        if self.kv_latent:
            return (self.kv_latent + self.rope) / 2
        return self.head_width * (self.kv or self.heads)

    @property
    def attended(self) -> float:
        """Width of queries, keys, values and results, all heads together: mean of the four."""
        return self.heads * (self.head_width + self.rope / 2)

    @property
    def attention_weights(self) -> float:
        """Weights of the attention of a layer."""
        wide = self.heads * self.head_width
        queries = self.heads * (self.head_width + self.rope)
        asks = self.hidden * queries
        if self.q_latent:
            asks = self.q_latent * (self.hidden + queries)
        if not self.kv_latent:
            return asks + self.hidden * (2 * self.keys + wide)
        down = self.hidden * (self.kv_latent + self.rope)
        return asks + down + 2 * self.kv_latent * wide + self.hidden * wide

    @property
    def ffn_width(self) -> int:
        """Width of the feed-forward part, or of one expert."""
        return self.ffn or 4 * self.hidden

    def ffn_weights(self, dense: bool = False) -> float:
        """Weights of the feed-forward part of a layer, or of one expert."""
        wide = self.dense_ffn if dense and self.dense_ffn else self.ffn_width
        return (3 if self.gated else 2) * self.hidden * wide

    @property
    def weights(self) -> float:
        """All weights of the model."""
        each = self.attention_weights * self.layers + self.dense * self.ffn_weights(True)
        experts = max(self.experts, 1) + self.shared
        each += (self.layers - self.dense) * self.ffn_weights() * experts
        return each + self.vocab * self.hidden


@dataclass(frozen=True)
class Split:
    """How a model is cut over ranks, and in which order they work.

    Attributes:
        tp, pp, dp, ep, cp: Ranks that share a tensor, a pipeline, the batch, the experts (among
            those of `dp`) and the sequence.
        batch, micro: Sequences of a step, and of a micro-batch of one rank.
        interleave: Stages of the pipeline that each rank has.
        sequence: Are activations between tensor-parallel parts shared out along the sequence?
        grad_bytes: Of a gradient, when it is sent.
    """

    batch: int
    tp: int = 1
    pp: int = 1
    dp: int = 1
    ep: int = 1
    cp: int = 1
    micro: int = 1
    kind: str = "training"
    schedule: str = "1f1b"
    interleave: int = 1
    recompute: str = "none"
    shard: str = "none"
    sequence: bool = False
    grad_bytes: int = 4

    @property
    def ranks(self) -> int:
        """How many there are."""
        return self.tp * self.pp * self.dp * self.cp

    @property
    def micro_batches(self) -> int:
        """Micro-batches that go through a pipeline in a step."""
        return self.batch // (self.dp * self.micro)


@dataclass(frozen=True)
class Chip:
    """What a rank computes with.

    Attributes:
        tflops, efficiency: Of matrix products: the peak, and the part of it that long ones reach.
        bandwidth, streams: GB/s of its memory, and the part that elementwise work reaches.
        memory: GB.
        overhead: µs that launching the kernels of half a layer takes, forwards; backwards twice as
            long. They are launched ahead of what runs, from one pass of a micro-batch to the next
            where nothing comes from another stage.
    """

    tflops: float
    efficiency: float = 1.0
    bandwidth: float = float("inf")
    streams: float = 1.0
    memory: float = float("inf")
    overhead: float = 0.0
    name: str = "chip"

    def seconds(self, flops: float, read: float = 0.0, moved: float = 0.0) -> float:
        """Time of matrix products that read so many bytes, and of elementwise work.

        Examples:
            >>> Chip(tflops=100, efficiency=0.5, bandwidth=1000).seconds(1e12, moved=1e9)
            0.021
        """
        fast = 1e9 * self.bandwidth
        product = max(flops / (1e12 * self.tflops * self.efficiency), read / fast)
        return product + moved / (fast * self.streams)


@dataclass(frozen=True)
class Overlap:
    """Which data move while the rank computes on."""

    tp: bool = False
    pp: bool = True
    dp: bool = True
    ep: bool = False
    cp: bool = False


@dataclass(frozen=True)
class ModelJob:
    """One step of a model on ranks."""

    model: LanguageModel
    split: Split
    chip: Chip
    overlap: Overlap = field(default_factory=Overlap)

    @property
    def name(self) -> str:
        """Of the model."""
        return self.model.name

    def __post_init__(self) -> None:
        for key, message in _misfits(self.model, self.split):
            raise ArgumentError(f"{key}: {message}")

    def memory(self, stage: int = 0) -> dict[str, float]:
        """GB that a rank of a stage needs: weights, gradients, optimizer, activations."""
        model, split = self.model, self.split
        dense, experts = self.weights(stage)
        shared = split.dp * split.cp
        cuts = {name: SHARD.index(split.shard) >= i for i, name in enumerate(SHARD)}

        def kept(size: float, cut: bool) -> float:
            over = split.dp // split.ep * split.cp
            return size * (dense / (shared if cut else 1) + experts / (over if cut else 1)) / 1e9

        out = {"weights": kept(model.bytes, cuts["parameters"])}
        if split.kind == "training":
            out["gradients"] = kept(split.grad_bytes, cuts["gradients"])
            out["optimizer"] = kept(_OPTIMIZER_BYTES, cuts["optimizer"])
            held = self.in_flight(stage) * model.layers / (split.pp * split.interleave)
            out["activations"] = held * self._activations() / 1e9
        else:
            tokens = split.micro * model.seq / split.cp * split.micro_batches
            out["cache"] = tokens * self.token_cache * model.layers / split.pp / 1e9
        return out

    def in_flight(self, stage: int) -> int:
        """Micro-batches, each of one part of the layers, whose activations a stage keeps."""
        split = self.split
        every = split.micro_batches * split.interleave
        if split.schedule == "gpipe":
            return every
        if split.schedule == "interleaved":
            ahead = 2 * (split.pp - stage - 1) + (split.interleave - 1) * split.pp
            return min(ahead + 1, every)
        return min(split.pp - stage, every)

    def _activations(self) -> float:
        """Bytes that a layer keeps of a micro-batch for the way back (Korthikanti et al., 2022)."""
        model, split = self.model, self.split
        tokens = split.micro * model.seq / split.cp
        thin = split.tp if split.sequence else 1
        half = model.bytes / 2
        if split.recompute == "full":
            return 2 * half * tokens * model.hidden / thin
        whole = tokens * model.hidden * (10 / thin + 24 / split.tp) * half
        if not model.flash and split.recompute == "none":
            whole += 5 * half * model.heads * model.seq * tokens / split.tp
        return whole

    @property
    def _kv_cut(self) -> int:
        """Parts of keys and values: no more than there are heads of them; latent ones are whole."""
        model = self.model
        return 1 if model.kv_latent else min(self.split.tp, model.kv or model.heads)

    @property
    def token_cache(self) -> float:
        """Bytes of keys and values of a token at one rank, of a layer."""
        return 2 * self.model.keys / self._kv_cut * self.model.bytes

    @property
    def attention_weights(self) -> float:
        """Weights of the attention of a layer at one rank; ranks may share a head of keys."""
        model, tp = self.model, self.split.tp
        if model.kv_latent:
            return model.attention_weights / tp
        twice = 2 * model.hidden * model.keys * (1 / self._kv_cut - 1 / tp)
        return model.attention_weights / tp + twice

    def layer_weights(self, dense: bool = False) -> tuple[float, float]:
        """Weights of a layer at one rank: those of the dense parts, and those of its experts.

        Args:
            dense: Of one of the first layers, which have no experts.
        """
        model, split = self.model, self.split
        here = self.attention_weights
        if model.experts and not dense:
            here += model.shared * model.ffn_weights() / split.tp
            return here, model.ffn_weights() * model.experts / (split.ep * split.tp)
        return here + model.ffn_weights(dense) / split.tp, 0.0

    def dense_layers(self, depth: int) -> tuple[int, int]:
        """Layers of a part of the pipeline: the first ones without experts, and all others."""
        each = self.model.layers // (self.split.pp * self.split.interleave)
        dense = min(max(self.model.dense - depth * each, 0), each)
        return dense, each - dense

    def table_weights(self, stage: int) -> float:
        """Weights of the tables of words at one rank: of the first stage and of the last."""
        tables = (stage == 0) + (stage == self.split.pp - 1 and self.split.pp > 1)
        return tables * self.model.vocab * self.model.hidden / self.split.tp

    def weights(self, stage: int = 0) -> tuple[float, float]:
        """Weights of a rank: those of the dense parts, and those of its experts."""
        kinds = self.layer_weights(dense=True), self.layer_weights()
        here, experts = self.table_weights(stage), 0.0
        for chunk in range(self.split.interleave):
            counts = self.dense_layers(chunk * self.split.pp + stage)
            here += sum(n * one for n, (one, _) in zip(counts, kinds, strict=True))
            experts += counts[1] * kinds[1][1]
        return here, experts


def _misfits(model: LanguageModel, split: Split) -> list[tuple[str, str]]:
    """What does not divide: the key, and a sentence."""
    out = []

    def divides(key: str, what: str, whole: int, parts: int, into: str) -> None:
        if parts and whole % parts:
            out.append((key, f"{what} {whole} cannot be shared out evenly among {into} = {parts}"))

    divides("tp", "heads =", model.heads, split.tp, "tp")
    divides("tp", "ffn =", model.ffn_width, split.tp, "tp")
    cut = split.pp * split.interleave
    divides(
        "pp", "layers =", model.layers, cut, "pp x interleave" if split.interleave > 1 else "pp"
    )
    divides("cp", "seq =", model.seq, split.cp, "cp")
    if split.sequence and split.tp > 1 and split.kind != "decode":
        divides("sequence", "seq =", model.seq, split.cp * split.tp, "cp x tp")
    divides("batch", "batch =", split.batch, split.dp * split.micro, "dp x micro")
    divides("ep", "dp =", split.dp, split.ep, "ep")
    divides("ep", "experts =", model.experts, split.ep, "ep")
    if split.ep > 1 and not model.experts:
        out.append(("ep", f"ep is {split.ep}, and the model has no experts"))
    if model.experts and not 1 <= model.top <= model.experts:
        out.append(("top", f"top is {model.top}; it must be from 1 to experts = {model.experts}"))
    if not model.head and model.hidden % model.heads:
        some = f"hidden = {model.hidden} is no multiple of heads = {model.heads}"
        out.append(("hidden", f"{some}; head says how wide one is"))
    for key in ("top", "shared", "dense"):
        if getattr(model, key) and not model.experts:
            out.append((key, f"{key} is {getattr(model, key)}, and the model has no experts"))
    if model.dense > model.layers:
        out.append(("dense", f"dense is {model.dense}, and the model has {model.layers} layers"))
    if model.dense_ffn and not model.dense:
        out.append(("dense_ffn", f"dense_ffn is {model.dense_ffn}, and dense is 0"))
    for key in ("q_latent", "rope"):
        if getattr(model, key) and not model.kv_latent:
            out.append((key, f"{key} is {getattr(model, key)}; it goes with kv_latent"))
    if model.kv_latent and model.kv not in (0, model.heads):
        out.append(("kv", f"kv is {model.kv}; all {model.heads} heads share kv_latent"))
    if model.heads % (model.kv or model.heads):
        out.append(("kv", f"heads = {model.heads} is no multiple of kv = {model.kv}"))
    kv = model.kv or model.heads
    if kv % split.tp and split.tp % kv and not model.heads % split.tp and not model.kv_latent:
        out.append(("kv", f"kv = {kv} and tp = {split.tp}: one must be a multiple of the other"))
    if split.schedule == "interleaved":
        if split.interleave < 2 or split.pp < 2:
            out.append(
                ("schedule", "interleaved needs interleave of at least 2 and pp of at least 2")
            )
        elif split.micro_batches % split.pp:
            some = f"{split.micro_batches} micro-batches are no multiple of pp = {split.pp}"
            out.append(("schedule", f"interleaved: {some}"))
    elif split.interleave > 1:
        out.append(
            ("interleave", f"interleave is {split.interleave}; the schedule is {split.schedule}")
        )
    if split.kind != "training" and (split.shard != "none" or split.recompute != "none"):
        key = "shard" if split.shard != "none" else "recompute"
        out.append((key, f"{key} is for training, not for {split.kind}"))
    return out


_COUNTS = ("experts", "top", "shared", "dense", "dense_ffn")
_WIDTHS = ("head", "q_latent", "kv_latent", "rope")
_MODEL = tuple(f.name for f in fields(LanguageModel))
_SPLIT = (*(f.name for f in fields(Split)), "ranks")
_CHIP = tuple(f.name for f in fields(Chip))
_OVERLAP = tuple(f.name for f in fields(Overlap))
TABLES = {"": ("chakra",), "model": _MODEL, "job": _SPLIT, "chip": _CHIP, "overlap": _OVERLAP}


def read_job_file(path: str | Path) -> ModelJob | tuple[Path, Chip | None]:
    """A job from a TOML file; where it names a folder of traces, that folder and the chip.

    Raises:
        FileFormatError: With the line of what is missing, unknown, not allowed or does not fit.
    """
    file = TomlFile(path, TABLES)
    if "chakra" in file.data:
        for name in ("model", "job", "overlap"):
            if name in file.data:
                raise file.error(
                    name, "", f"[{name}] does not go with chakra, which has the whole step"
                )
        folder = Path(path).parent / file.table("").text("chakra")
        return folder, _chip(file.table("chip")) if "chip" in file.data else None
    model, split = _model(file.table("model")), _split(file.table("job"))
    for key, message in _misfits(model, split):
        table = "model" if key in _MODEL else "job"
        raise file.error(table, key, f"[{table}] {message}")
    overlap = file.table("overlap")
    usual = Overlap()
    job = ModelJob(
        model,
        split,
        _chip(file.table("chip")),
        Overlap(**{name: overlap.flag(name, getattr(usual, name)) for name in _OVERLAP}),
    )
    for stage in range(split.pp):
        need = job.memory(stage)
        if sum(need.values()) > job.chip.memory:
            parts = ", ".join(f"{name} {size:.1f}" for name, size in need.items())
            raise file.error(
                "chip",
                "memory",
                f"[chip] memory is {job.chip.memory:g} GB; a rank of stage {stage} needs"
                f" {sum(need.values()):.1f} GB ({parts})",
            )
    return job


def _model(table: TomlTable) -> LanguageModel:
    heads = table.integer("heads")
    return LanguageModel(
        table.integer("hidden"),
        table.integer("layers"),
        heads,
        table.integer("seq"),
        table.integer("vocab"),
        table.integer("kv", default=heads),
        table.integer("ffn") if "ffn" in table else 0,
        table.flag("gated"),
        flash=table.flag("flash", True),
        bytes=table.integer("bytes", default=2),
        name=table.text("name", "model"),
        **{name: table.integer(name, 0, 0) for name in (*_COUNTS, *_WIDTHS)},
    )


def _split(table: TomlTable) -> Split:
    sizes = {
        name: table.integer(name, default=1) for name in ("tp", "pp", "dp", "ep", "cp", "micro")
    }
    split = Split(
        batch=table.integer("batch"),
        **sizes,
        kind=table.text("kind", "training", KINDS),
        schedule=table.text("schedule", "1f1b", SCHEDULES),
        interleave=table.integer("interleave", default=1),
        recompute=table.text("recompute", "none", RECOMPUTE),
        shard=table.text("shard", "none", SHARD),
        sequence=table.flag("sequence"),
        grad_bytes=table.integer("grad_bytes", default=4),
    )
    if "ranks" in table and table.integer("ranks") != split.ranks:
        product = f"tp x pp x dp x cp = {split.tp} x {split.pp} x {split.dp} x {split.cp}"
        raise table.error(
            "ranks", f"[job] ranks is {table.integer('ranks')}; {product} = {split.ranks}"
        )
    return split


def _chip(table: TomlTable) -> Chip:
    """A chip by its name, by its numbers, or by its name with some numbers changed."""
    name = table.text("name", "chip")
    usual: dict[str, Any] = {}
    if name in chips():
        usual = {f.name: getattr(load_chip(name), f.name) for f in fields(Chip)}
    elif "tflops" not in table and "name" in table:
        raise table.error("name", f"[chip] name is {name!r}; there are {', '.join(chips())}")
    huge = float("inf")

    def real(key: str, high: float, default: float | None) -> float:
        value = usual.get(key, default)
        return value if value == huge and key not in table else table.real(key, 0.0, high, value)

    return Chip(
        table.real("tflops", default=usual.get("tflops")),
        real("efficiency", 1.0, 1.0),
        real("bandwidth", huge, huge),
        real("streams", 1.0, 1.0),
        real("memory", huge, huge),
        table.real("overhead", default=usual.get("overhead", 0.0), least=True),
        name,
    )


def chips() -> list[str]:
    """Names of the chips that come with hopscape.

    Examples:
        >>> chips()
        ['a100', 'b200', 'h100']
    """
    return sorted(path.stem for path in _FOLDER.glob("*.toml"))


def load_chip(name: str) -> Chip:
    """A chip by its name."""
    if name not in chips():
        raise FileFormatError(f"chip {name!r} is unknown; there are {', '.join(chips())}")
    table = TomlFile(_FOLDER / f"{name}.toml", {"": (*_CHIP, "source")}).table("")
    return Chip(
        **{
            f.name: table.real(f.name, least=f.name == "overhead")
            for f in fields(Chip)
            if f.name != "name"
        },
        name=name,
    )
