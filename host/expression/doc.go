// Package expression computes new frames from the results of queries: expressions of the
// types math, reduce, resample, threshold and classic_conditions, with the semantics that
// Grafana documents for them.
//
// Expressions know two kinds of data: time series and single numbers. A result is a set
// of items of these kinds, each of which is identified by its labels. Where the published
// documentation leaves a choice, this package decides as follows:
//
//   - A comparison or a logical operation with NaN is NaN, unless the left side of && or ||
//     determines the result. An operation with null is null.
//   - Unary operators bind tightest, then **; operators of the same precedence group from
//     the left. Only ?: groups from the right.
//   - In strict mode, mean, median, min, max and sum of values with null, NaN or Inf are
//     NaN; count counts every point and last returns the last point.
//   - A sample of resample at time t covers the points after the previous sample up to and
//     including t. The first sample is at the start of the time range.
//   - A series of a long frame has points only where the frame has a row for it. Number
//     fields that only their names tell apart get the label __name__.
//   - Classic conditions are combined from left to right. The result is null if a part of
//     an "or", or both parts of an "and", have no data.
//
// The package does not send queries, and it does not know HTTP or data sources: package
// api groups and runs the queries of a request and passes on their results. There are no
// SQL expressions, and no state of alerts, which a recovery threshold needs.
package expression
