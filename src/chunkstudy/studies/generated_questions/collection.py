"""From a folder of texts to a collection with questions: what it takes is said, then questions are
asked for, filtered and written.

``questions.jsonl`` comes last, since it makes the folder a collection.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from math import isnan
from pathlib import Path

from chunkstudy.collections import user_collections, user_documents, user_questions
from chunkstudy.collections.user_documents import OwnDocuments
from chunkstudy.core.errors import UserError
from chunkstudy.core.files import write_json, write_text
from chunkstudy.core.project import Project
from chunkstudy.core.settings import Settings
from chunkstudy.llm.asking import Asker, mode_from_environment
from chunkstudy.llm.prices import expected
from chunkstudy.pipeline.vector_store import load_store
from chunkstudy.studies.generated_questions import filters, generate
from chunkstudy.studies.generated_questions.generate import GenerationSettings

CANDIDATES, REPORT, RECORDINGS = "candidates.jsonl", "generation.json", "llm"


def make(
    places: Project,
    source: Path,
    settings: GenerationSettings,
    out: Path | None,
    encoder: str,
    least: float,
    most: float,
    say: Callable[[str], object],
    replay: bool = False,
) -> Path:
    """Say what it takes, then generate and filter questions; the folder of the collection.

    A run that was stopped goes on where it was: replies are recorded below the folder, unless
    CHUNKSTUDY_LLM_RECORDINGS names another place.

    Args:
        places: where vectors are kept.
        source: the folder of texts.
        out: the folder to write; below that of all own collections, under the source's name, if
            None.
        encoder: the slug or hub id of the model whose similarities the filters take.
        least: see :func:`filters.apply`, and so ``most``.
        say: told how it goes.
        replay: whether nobody is asked, and only recorded replies count; otherwise what is not
            recorded is asked for, unless CHUNKSTUDY_LLM says otherwise.

    Raises:
        ResourceError, UserError, LanguageModelError, BudgetError: in words to act on.
    """
    folder = out or user_collections.collections_folder() / source.resolve().name
    documents = user_documents.read(source)
    _refuse(folder, source, documents)
    say(generate.price(documents, settings))
    recordings = Settings.from_env().replies or folder / RECORDINGS
    mode = mode_from_environment() if Settings.from_env().llm else "record"
    asker = Asker("replay" if replay else mode, recordings)
    made = generate.generate(documents.documents, settings, asker.ask, say)
    for name, text in documents.texts.items():  # nothing is written where nobody could be asked
        write_text(folder / user_collections.DOCUMENTS / name, text)  # so that offsets stay right
    store = load_store(encoder.replace("/", "__"), places.vectors)
    excerpts = [[str(excerpt.text) for excerpt in each.excerpts] for each in made.questions]
    questions = [each.question for each in made.questions]
    filtered = filters.apply(questions, excerpts, store.encode, least, most)
    became = filtered.round(6).astype(object).replace(float("nan"), None).to_dict("records")
    candidates = list(zip(made.questions, became, strict=True))
    kept = [question for question, told in candidates if not told["dropped"]]
    read = sum(reply.input_tokens for reply in made.replies)
    written = sum(reply.output_tokens for reply in made.replies)
    took = expected(settings.model, len(made.replies), read, written)
    report = {
        "settings": asdict(settings),
        "documents": len(documents.documents),
        "left out": Counter(documents.left_out.values()),
        "requests": took.requests,
        "candidates": len(made.questions),
        "given up": settings.questions - len(made.questions),
        "rejected": made.rejected,
        "input tokens": read,
        "output tokens": written,
        "dollars": None if isnan(took.dollars) else round(took.dollars, 6),
        "thresholds": {"least": least, "most": most},
        "encoder": store.encoder.describe(),
        "dropped": Counter(filter(None, filtered["dropped"])),
        "kept": len(kept),
    }
    lines = (json.dumps(each.line | told, ensure_ascii=False) for each, told in candidates)
    write_text(folder / CANDIDATES, "".join(f"{line}\n" for line in lines))
    write_json(folder / REPORT, report)
    user_questions.write(folder / user_collections.QUESTIONS, kept)
    say(
        f"{len(kept)} of {len(made.questions)} questions kept, and {folder / REPORT} says why the "
        f"others are not; {took}"
    )
    return folder


def _refuse(folder: Path, source: Path, documents: OwnDocuments) -> None:
    """Refuse a folder that would lie inside its own documents, whose name is no collection's, or
    that holds something else than a generation from these documents.

    Raises:
        UserError: if it does.
    """
    if folder.resolve().is_relative_to(source.resolve()):
        raise UserError(f"{folder} lies inside {source}, whose texts it copies; write elsewhere")
    if not user_collections.NAME.fullmatch(folder.name):
        raise UserError(
            f"{folder.name!r} cannot name a collection; use letters, digits, dots, - and _"
        )
    holds = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    other = holds - {RECORDINGS}
    if user_collections.DOCUMENTS in holds:
        copies = folder / user_collections.DOCUMENTS
        texts = {copies / name: text.encode("utf-8") for name, text in documents.texts.items()}
        files = (path for path in copies.rglob("*") if path.is_file())
        other = {str(path) for path in files if path.read_bytes() != texts.get(path)}
    if other:
        raise UserError(
            f"{folder} holds {min(other)}, which is of no generation from these documents; name "
            "another folder, or delete this one"
        )
