"""The shape of the configuration file, once, as pydantic models: for the check and for the JSON schema.

Strict: "2000" is no number and true is not 1. The rest of the program sees the plain records of `config`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import ErrorDetails, core_schema

from tobler_pack.sources import rules


def _each_once(names: list[str]) -> list[str]:
    if not names:
        raise ValueError("the list is empty; name at least one of code, docs, config")
    if len(set(names)) < len(names):
        raise ValueError("names something twice; name each once")
    return names


def _selects_something(patterns: list[str]) -> list[str]:
    if not patterns:
        raise ValueError("the list is empty; name what to look at, or leave the key out for the whole repository")
    if all(pattern.startswith("!") for pattern in patterns):
        raise ValueError('only takes away; begin with a pattern that selects, such as "src/**"')
    return patterns


def _text(longest: int, pattern: str = r"\S") -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "minLength": 1, "maxLength": longest, "pattern": pattern})


Version = Annotated[int, Field(ge=rules.VERSION, le=rules.VERSION), WithJsonSchema({"type": "integer", "const": 1})]
Kind = Literal["code", "docs", "config"]
Budget = Annotated[int, Field(ge=rules.SMALLEST_BUDGET, le=rules.LARGEST_BUDGET)]
Name = Annotated[str, AfterValidator(rules.identifier), _text(100, f"^{rules.IDENTIFIER}$")]
Label = Annotated[str, AfterValidator(rules.label), _text(rules.LONGEST_LABEL)]
Pattern = Annotated[str, AfterValidator(rules.pattern), _text(rules.LONGEST_PATTERN)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class QuestionEntry(_Strict):
    """One question; it becomes one pack."""

    id: Name = Field(description="Name of the pack: it becomes <out>/<id>.md.", examples=["auth-flow"])
    ask: Annotated[str, AfterValidator(rules.question), _text(rules.LONGEST_QUESTION)] = Field(
        description="The question, in words.", examples=["how is a request authenticated"]
    )
    budget: Budget | None = Field(
        default=None,
        description="Tokens for this pack. Without it the budget of the surface, then of the file, counts.",
        examples=[3000],
    )
    paths: Annotated[list[Pattern], AfterValidator(_selects_something)] | None = Field(
        default=None,
        description="Look only at paths that match; patterns as in .gitignore. Without it: everywhere.",
        examples=[["src/**"]],
    )
    session: Label | None = Field(
        default=None,
        description="Questions of one session, in file order: each remembers the ones before it.",
        examples=["auth"],
    )
    surface: Name = Field(default="batch", description="The surface that this pack belongs to.", examples=["batch"])


class SurfaceEntry(_Strict):
    """A place where packs are pushed, with its two dials."""

    asks: Label | None = Field(
        default=None, description="What is asked there.", examples=["questions about the manual"]
    )
    over: Kind | None = Field(
        default=None, description="What is searched. Without it: what `content` names.", examples=["docs"]
    )
    fires: Label | None = Field(default=None, description="How often it asks.", examples=["nightly"])
    floor: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        default=None,
        description="Cosine similarity below which a chunk is not worth ranking; saves cost, judges nothing.",
        examples=[0.15],
    )
    budget: Budget | None = Field(default=None, description="Tokens per pack.", examples=[6000])


class ConfigurationFile(_Strict):
    """Questions about a git repository and the packs made from them."""

    version: Version = Field(description="Version of this format.", examples=[1])
    out: Annotated[str, AfterValidator(rules.out_folder), _text(rules.LONGEST_LABEL, r"^[^/\\~:]([^\\:]*)$")] = Field(
        default="context",
        description="Folder for packs, relative to the root of the repository; never searched itself.",
        examples=["context"],
    )
    budget: Budget = Field(
        default=2000,
        description="Tokens per pack: the whole file, header and fences included.",
        examples=[2000],
    )
    model: Annotated[str, AfterValidator(rules.model), _text(rules.LONGEST_PATH, r"^(?!hub:).*\S|^hub:[^@]+@.+$")] = (
        Field(
            default="embedded",
            description="The embedding model: embedded, a local model2vec folder, or hub:NAME@REVISION.",
            examples=["embedded", "models/own", "hub:minishlab/potion-code-16M-v2@REVISION"],
        )
    )
    tokens: Literal["o200k_base", "cl100k_base"] = Field(
        default="o200k_base",
        description="The tokenizer that counts; every pack names it.",
        examples=["o200k_base"],
    )
    content: Annotated[
        list[Kind], AfterValidator(_each_once), Field(json_schema_extra={"minItems": 1, "uniqueItems": True})
    ] = Field(default=["code"], description="What kind of files packs look at.", examples=[["code", "docs"]])
    exclude: list[Pattern] = Field(
        default=[],
        description="Paths never looked at; patterns as in .gitignore.",
        examples=[["vendor/**"]],
    )
    queries: list[QuestionEntry] = Field(default=[], description="The questions, one pack each.")
    surfaces: dict[Name, SurfaceEntry] = Field(
        default={},
        description="Surfaces of your own, and other dials for pull-request, commit and batch.",
        json_schema_extra={"additionalProperties": False},
    )
    telemetry: bool = Field(
        default=True,
        description="Note scores of each run on this machine, for tune and migrate; nothing is ever sent.",
        examples=[False],
    )


KNOWN_KEYS = {
    "": tuple(ConfigurationFile.model_fields),
    "queries[]": tuple(QuestionEntry.model_fields),
    "surfaces.*": tuple(SurfaceEntry.model_fields),
}
"""The keys of each kind of group, in the notation of `explain.place`."""


def check(data: object) -> ConfigurationFile | list[ErrorDetails]:
    """The checked file, or everything that is wrong with it."""
    try:
        return ConfigurationFile.model_validate(data)
    except ValidationError as error:
        return error.errors(include_url=False)


class _WithoutNull(GenerateJsonSchema):
    """A key that may be left out may not be written with null, so null does not stand in the schema."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)


def json_schema() -> dict[str, Any]:
    """The schema for editors."""
    schema = ConfigurationFile.model_json_schema(schema_generator=_WithoutNull)
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema, "title": "tobler-pack configuration"}
