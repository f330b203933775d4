"""What a notebook works with: :class:`chunkstudy.Study`, and how tables, figures and answers that
it computed are shown and kept."""
