"""Why a query's chunks were found or missed, as pages that open from disk."""
