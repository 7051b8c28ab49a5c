"""Operations on a whole page: navigate, wait, evaluate scripts, capture, read, measure."""
