"""Column and field names that say what they hold, in lower case, blanks and hyphens as underscores."""

from audit.text import slugify

ID_NAMES = frozenset(
    {
        "id", "ids", "#id", "item", "item_id", "itemid", "instance", "instance_id", "example", "example_id",
        "doc", "doc_id", "docid", "document", "document_id", "tweet", "tweet_id", "tweetid", "comment_id",
        "sentence_id", "sent_id", "text_id", "post_id", "question_id", "pair_id", "sample_id", "row_id",
        "uid", "uuid", "guid", "qid", "pid", "sid", "tid", "index", "idx", "nr", "no", "(key)",
    }
)  # fmt: skip
GOLD_NAMES = frozenset(
    {
        "gold", "gold_label", "goldlabel", "label_gold", "y_true", "truth", "true_label", "ground_truth",
        "reference",
    }
)  # fmt: skip
LABEL_NAMES = frozenset(
    {
        "label", "labels", "class", "classes", "category", "categories", "sentiment", "stance", "emotion",
        "emoji", "tag", "annotation", "answer", "correct_label", "(value)",
    }
)  # fmt: skip
PREDICTION_NAMES = frozenset(
    {
        "prediction", "predictions", "predicted", "predicted_label", "predicted_class", "pred", "preds",
        "pred_label", "pred_labels", "pred_class", "label_pred", "label_predicted", "predicted_labels",
        "prediction_label", "system_label", "system_output", "y_pred", "y_hat", "yhat", "output",
    }
)  # fmt: skip
GROUP_NAMES = frozenset(
    {
        "group", "group_id", "doc", "doc_id", "docid", "docno", "document", "document_id", "article", "article_id",
        "thread", "thread_id", "conversation", "conversation_id", "conv_id", "dialogue", "dialogue_id", "dialog",
        "dialog_id", "session", "session_id", "author", "author_id", "user", "user_id", "userid", "user_name",
        "username", "screen_name", "speaker", "speaker_id", "participant", "participant_id", "question", "question_id",
        "qid", "query", "query_id", "topic", "topic_id",
    }
)  # fmt: skip
WIDE_GOLD_NAMES = GOLD_NAMES | {"y", "label", "true", "target", "class"}
WIDE_ID_NAMES = ID_NAMES | {"", "unnamed:_0"}


def fold(name: str) -> str:
    """One spelling of a column name.

    >>> fold(" Gold-Label ")
    'gold_label'
    """
    return slugify(name.strip()).replace("-", "_") if name.strip() else ""


def is_id_name(name: str) -> bool:
    """Whether a column of this name holds item ids."""
    return fold(name) in ID_NAMES


def is_label_name(name: str) -> bool:
    """Whether a column of this name holds labels, gold or predicted."""
    return fold(name) in GOLD_NAMES | LABEL_NAMES | PREDICTION_NAMES
