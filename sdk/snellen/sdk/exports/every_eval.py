"""Results for Every Eval Ever, the database of the EvalEval Coalition: its schema 0.3.0.

The schema is `eval.schema.json` of the package every-eval-ever. Its file of instances would contain
references, so it is not written.
"""

import json
from collections.abc import Mapping
from typing import Any

from snellen.sdk.exports.options import ExportOptions
from snellen.sdk.scored import ScoredReport
from snellen.tasks.benchmarks.table import benchmark_of

SCHEMA = "0.3.0"


def every_eval_record(report: ScoredReport, options: ExportOptions, _: str) -> bytes:
    """Return the record of one report: every metric, with its interval.

    Raises:
        InputError: The model that answered is unknown.
    """
    model, moment = options.model_of(report), options.moment()
    stamp = f"{moment.timestamp():.0f}"
    run_at = {} if options.date is None else {"evaluation_timestamp": stamp}
    made_from = report.provenance
    named = report.task.replace("/", "_")
    record: dict[str, Any] = {
        "schema_version": SCHEMA,
        "evaluation_id": f"{named}/{model.replace('/', '_')}/{stamp}",
        **run_at,
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_name": "snellen",
            "source_type": "evaluation_run",
            "source_organization_name": options.organization or "unknown",
            "evaluator_relationship": options.relationship,
            **({} if options.source is None else {"source_organization_url": options.source}),
        },
        "eval_library": {"name": "snellen", "version": made_from.snellen or "unknown"},
        "model_info": {
            "name": model,
            "id": model,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
            },
        },
        "evaluation_results": [
            _result(report, options, key, number) for number, key in enumerate(report.metrics)
        ],
    }
    return (json.dumps(record, ensure_ascii=False, indent=2) + "\n").encode()


def _result(
    report: ScoredReport, options: ExportOptions, key: str, number: int
) -> Mapping[str, Any]:
    value = report.metrics[key]
    primary = key == report.numbers.primary
    details = {
        "outcomes": json.dumps({one.value: n for one, n in report.input.outcomes.items()}),
        "as_published": "none" if value.as_published is None else repr(value.as_published),
    }
    return {
        "evaluation_result_id": f"{report.task}/{number}",
        "evaluation_name": report.task,
        "source_data": _data(report, options),
        "metric_config": {
            "evaluation_description": report.signature,
            "metric_id": f"{report.task.replace('/', '.')}.{key}",
            "metric_name": key,
            "metric_unit": "proportion",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
            "additional_details": {
                "protocol": report.provenance.protocol_name,
                "primary": "true" if primary else "false",
            },
        },
        "score_details": {
            "score": value.value,
            "details": details,
            **_uncertainty(report, key),
        },
    }


def _data(report: ScoredReport, options: ExportOptions) -> Mapping[str, Any]:
    pin = report.provenance.data
    details = {"release": pin.release, "sha256": pin.sha256, "items": str(report.provenance.items)}
    named = benchmark_of(report.task).name
    dataset = options.dataset_of(report)
    if dataset is None:
        return {"dataset_name": named, "source_type": "other", "additional_details": details}
    split = report.provenance.split
    return {
        "dataset_name": named,
        "source_type": "hf_dataset",
        "hf_repo": dataset,
        **({} if split is None else {"hf_split": split}),
        "samples_number": report.provenance.items,
        "additional_details": details,
    }


def _uncertainty(report: ScoredReport, key: str) -> Mapping[str, Any]:
    estimate = report.numbers.estimates.get(key)
    if estimate is None:
        return {}
    found: dict[str, Any] = {"num_samples": estimate.items}
    if estimate.standard_error is not None:
        clustered = f"analytic, clustered by {report.numbers.clustered_by}"
        found["standard_error"] = {"value": estimate.standard_error, "method": clustered}
    if estimate.interval is not None:
        interval = estimate.interval
        found["confidence_interval"] = {
            "lower": interval.low,
            "upper": interval.high,
            "confidence_level": interval.level,
            "method": interval.method,
        }
    return {"uncertainty": found}
