"""Which way of chunking is best on documents and questions of one's own?"""
