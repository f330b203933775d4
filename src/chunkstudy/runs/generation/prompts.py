"""What the model is told: rules, an oath, one example, the text, and what was asked before.

The rules, the oath and the form of the reply are the report's (Appendix, Synthetic Dataset Prompt);
the other words and the example are this project's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from chunkstudy.llm.interface import Message
from chunkstudy.runs.generation import passages
from chunkstudy.runs.generation.settings import MOST_EXCERPTS, Variant

OATH = (
    "I will not use the word 'and' in the question unless it is part of a proper noun. I will also "
    "make sure the question is concise."
)
"""Models kept to the rule only once they had to say this first (report, Appendix)."""
QUOTED = (
    "a list of the passages of the text that together answer it. Copy each of them letter by "
    "letter, in whole sentences where you can."
)
NUMBERED = (
    "a list of the passages of the text that together answer it, each an object with 'content': "
    "the passage, 'start_chunk': the number of the chunk that it begins in, 'end_chunk': the "
    "number of the chunk that it ends in. The text is shown in numbered chunks."
)
NO_AND = "Do not use the word 'and' in the question unless it is part of a proper noun."
RULES = f"""You write questions that test a search engine. You are shown a text; write one \
question that it answers.

Reply with one JSON object and nothing else. It has three fields:
'oath': the oath below, word for word.
'question': the question. It asks for facts that the text states, and nothing but the passages \
you give is needed to answer it. It is about one topic and so specific that no other text would \
answer it.
'references': {{references}}

Give at most {MOST_EXCERPTS} passages. Do not ask what was asked before. {NO_AND}

The oath: {OATH}"""
LAST = (
    "Write another question than these, with its passages, as one JSON object with the oath. "
    f"{NO_AND}"
)
EXAMPLE = (
    "The ferry Linnet was launched at Orby in 1931. She carried 240 passengers in summer, but only "
    "90 in winter, when the upper deck was closed. In 1958 a new diesel engine raised her speed to "
    "eleven knots. She was sold in 1974 for the price of her brass."
)
EXAMPLE_ASKED = ("In which year was the ferry Linnet launched?",)
EXAMPLE_QUESTION = "How many passengers could the ferry Linnet carry?"
EXAMPLE_PASSAGE = (
    "She carried 240 passengers in summer, but only 90 in winter, when the upper deck was closed."
)


def messages(text: str, earlier: Sequence[str], variant: Variant) -> tuple[Message, ...]:
    """What is asked about a passage of a document."""
    rules = RULES.format(references=QUOTED if variant == "exact" else NUMBERED)
    return (
        Message("system", rules),
        Message("user", _about(EXAMPLE, EXAMPLE_ASKED, variant)),
        Message("assistant", _example(variant)),
        Message("user", _about(text, earlier, variant)),
    )


def _about(text: str, earlier: Sequence[str], variant: Variant) -> str:
    shown = text if variant == "exact" else passages.tagged(text)
    asked = "\n".join(earlier) or "none"
    return f"Text:\n{shown}\n\nQuestions asked before:\n{asked}\n\n{LAST}"


def _example(variant: Variant) -> str:
    passage: object = EXAMPLE_PASSAGE
    if variant == "approximate":
        start = EXAMPLE.index(EXAMPLE_PASSAGE)
        held = [
            i
            for i, (first, last) in enumerate(passages.pieces(EXAMPLE))
            if first < start + len(EXAMPLE_PASSAGE) and start < last
        ]
        passage = {"content": passage, "start_chunk": held[0], "end_chunk": held[-1]}
    reply = {"oath": OATH, "question": EXAMPLE_QUESTION, "references": [passage]}
    return json.dumps(reply, ensure_ascii=False)
