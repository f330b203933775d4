"""``chunkstudy generate``: from a folder of texts to a collection with questions."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from chunkstudy.base.files import write_text
from chunkstudy.base.places import Places
from chunkstudy.collections import own, own_documents
from chunkstudy.collections.own_documents import OwnDocuments
from chunkstudy.llm.asking import Asker, mode_from_environment
from chunkstudy.llm.recordings import replies_folder
from chunkstudy.runs.store import load_store
from chunkstudy.studies.generated_questions import filters, generate, output
from chunkstudy.studies.generated_questions.prompts import GenerationSettings


def price(documents: OwnDocuments, settings: GenerationSettings) -> str:
    """What a generation would take; nothing is asked and nothing written."""
    least, most = generate.price(documents.documents, settings)
    return f"{documents}\nat least {least}; at most {most}"


def run(
    places: Places,
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
        settings: what decides the requests.
        out: the folder to write; below that of all own collections, under the source's name, if
            None.
        encoder: the slug or hub id of the model whose similarities the filters take.
        least: see :func:`filters.apply`.
        most: see :func:`filters.apply`.
        say: told how it goes.
        replay: whether nobody is asked, and only recorded replies count; otherwise what is not
            recorded is asked for, unless CHUNKSTUDY_LLM says otherwise.

    Raises:
        SourceError, OutputError, LanguageModelError, BudgetError: in words to act on.
    """
    folder = out or own.collections_folder() / source.resolve().name
    documents = own_documents.read(source)
    output.check(folder, source, documents)
    say(price(documents, settings))
    elsewhere = "CHUNKSTUDY_LLM_RECORDINGS" in os.environ
    recordings = replies_folder() if elsewhere else folder / output.RECORDINGS
    mode = mode_from_environment() if os.environ.get("CHUNKSTUDY_LLM") else "record"
    asker = Asker("replay" if replay else mode, recordings)
    made = generate.generate(documents.documents, settings, asker.ask, say)
    for name, text in documents.texts.items():  # nothing is written where nobody could be asked
        write_text(folder / own.DOCUMENTS / name, text)  # so that offsets stay right
    store = load_store(encoder.replace("/", "__"), places.vectors)
    filtered = filters.apply(made.candidates, documents.texts, store.encode, least, most)
    thresholds = {"least": least, "most": most}
    described = store.encoder.describe()
    for line in output.write(folder, documents, settings, made, filtered, thresholds, described):
        say(line)
    return folder
