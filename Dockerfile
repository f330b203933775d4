# The environment of the study and its records; `docker run IMAGE` regenerates every table.
# Written where no Docker engine runs, so not built there: what each line does is what README's
# commands do, which are tested in a fresh clone.
FROM python:3.11-slim-bookworm

RUN apt-get update \
 && apt-get install --yes --no-install-recommends git make \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /chunkstudy
# The lock alone first, so that a change of the code does not install everything again.
COPY requirements.lock ./
RUN python -m venv .venv \
 && .venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check -r requirements.lock
COPY . .
RUN make install
CMD ["make", "reproduce"]
