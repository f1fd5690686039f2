package dev.sluice.contract.codec;

import static dev.sluice.contract.codec.JsonOutput.ascii;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.value.DispatchId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * JSON of the records that there are for every job, written and read by hand: by the general way
 * they are most of what a job costs. Bytes are those of the general way. What is unusual, such as a
 * text with a letter that JSON escapes, another order of fields or a fault, is left to it. {@link
 * HotBatches} does the same for batches.
 */
final class HotJson {
  private static final byte[] REQUESTED = ascii("{\"type\":\"JobRequested\",\"jobId\":");
  private static final byte[] GENERATOR = ascii(",\"generator\":");
  private static final byte[] INDEX = ascii(",\"index\":");
  private static final byte[] CLASS_TYPE = ascii(",\"classType\":");
  private static final byte[] WORKLOAD = ascii(",\"workload\":");
  private static final byte[] BACKEND = ascii(",\"backend\":");
  private static final byte[] PRECISION = ascii(",\"precision\":");
  private static final byte[] SAMPLES = ascii(",\"samples\":");
  private static final byte[] SLO = ascii(",\"sloNs\":");
  private static final byte[] INTENDED_AT = ascii(",\"intendedAtNs\":");
  private static final byte[] SENT_AT = ascii(",\"sentAtNs\":");

  private static final byte[] ENDED = ascii("{\"type\":\"JobEnded\",\"jobId\":");
  private static final byte[] STATUS = ascii(",\"status\":");
  private static final byte[] REASON = ascii(",\"reason\":");
  private static final byte[] DISPATCH = ascii(",\"dispatchId\":");
  private static final byte[] ATTEMPT = ascii(",\"attempt\":");
  private static final byte[] ENDED_AT = ascii(",\"endedAtNs\":");

  private static final byte[] BLOCKED = ascii("{\"type\":\"Blocked\",\"fromNs\":");
  private static final byte[] TO = ascii(",\"toNs\":");
  private static final byte[] CAUSE = ascii(",\"cause\":");

  private static final byte[] TICKED = ascii("{\"type\":\"Ticked\",\"version\":1}");
  private static final byte[] VERSION_1 = ascii(",\"version\":1}");

  /** Place of the first letter of a record's type. */
  private static final int TYPE_AT = "{\"type\":\"".length();

  /** Bytes of most records, so that room for more is made seldom. */
  private static final int EXPECTED = 288;

  private static final Status[] STATUSES = Status.values();

  private HotJson() {}

  /** Returns the fact as bytes; null: the general way must write it. */
  static byte @Nullable [] write(Fact fact) {
    if (fact instanceof JobRequested job) {
      return requested(job);
    }
    if (fact instanceof BatchCompleted completed) {
      return HotBatches.write(completed);
    }
    return fact instanceof Ticked ? TICKED.clone() : null;
  }

  /** Returns the outcome as bytes; null: the general way must write it. */
  static byte @Nullable [] write(Outcome outcome) {
    return outcome instanceof JobEnded end ? ended(end) : blocked((Blocked) outcome);
  }

  /** Returns the fact in the bytes; null: the general way must read it. */
  static @Nullable Fact readFact(byte[] bytes) {
    return switch (firstOfType(bytes)) {
      case 'J' -> requested(new JsonInput(bytes));
      case 'B' -> HotBatches.readCompleted(bytes);
      case 'T' -> Arrays.equals(bytes, TICKED) ? new Ticked() : null;
      default -> null;
    };
  }

  /** Returns the outcome in the bytes; null: the general way must read it. */
  static @Nullable Outcome readOutcome(byte[] bytes) {
    return switch (firstOfType(bytes)) {
      case 'J' -> ended(new JsonInput(bytes));
      case 'B' -> blocked(new JsonInput(bytes));
      default -> null;
    };
  }

  private static char firstOfType(byte[] bytes) {
    return bytes.length > TYPE_AT ? (char) bytes[TYPE_AT] : ' ';
  }

  private static byte @Nullable [] requested(JobRequested job) {
    var json = new JsonOutput(EXPECTED);
    json.text(REQUESTED, job.jobId());
    json.number(GENERATOR, job.generator());
    json.number(INDEX, job.index());
    json.name(CLASS_TYPE, job.classType());
    json.name(WORKLOAD, job.workload());
    json.name(BACKEND, job.backend());
    json.name(PRECISION, job.precision());
    json.number(SAMPLES, job.samples());
    json.number(SLO, job.sloNs());
    json.number(INTENDED_AT, job.intendedAtNs());
    json.number(SENT_AT, job.sentAtNs());
    json.raw(VERSION_1);
    return json.bytes();
  }

  private static @Nullable JobRequested requested(JsonInput json) {
    String jobId = json.text(REQUESTED);
    int generator = json.small(GENERATOR);
    long index = json.number(INDEX);
    String classType = json.name(CLASS_TYPE);
    String workload = json.name(WORKLOAD);
    String backend = json.name(BACKEND);
    String precision = json.name(PRECISION);
    int samples = json.small(SAMPLES);
    long sloNs = json.number(SLO);
    long intendedAtNs = json.number(INTENDED_AT);
    long sentAtNs = json.number(SENT_AT);
    if (!json.endsWith(VERSION_1)
        || jobId == null
        || classType == null
        || workload == null
        || backend == null
        || precision == null
        || samples < 1
        || sloNs < 1) {
      return null;
    }
    return new JobRequested(
        jobId,
        generator,
        index,
        classType,
        workload,
        backend,
        precision,
        samples,
        sloNs,
        intendedAtNs,
        sentAtNs);
  }

  private static byte @Nullable [] ended(JobEnded end) {
    var json = new JsonOutput(EXPECTED);
    json.text(ENDED, end.jobId());
    json.name(STATUS, end.status().name());
    json.name(REASON, end.reason());
    json.dispatch(DISPATCH, end.dispatchId());
    json.number(ATTEMPT, end.attempt());
    json.number(ENDED_AT, end.endedAtNs());
    json.raw(VERSION_1);
    return json.bytes();
  }

  private static @Nullable JobEnded ended(JsonInput json) {
    String jobId = json.text(ENDED);
    Status status = status(json.name(STATUS));
    String reason = json.nameOrNull(REASON);
    DispatchId dispatch = json.dispatchOrNull(DISPATCH);
    int attempt = json.small(ATTEMPT);
    long endedAtNs = json.number(ENDED_AT);
    return !json.endsWith(VERSION_1) || jobId == null || status == null
        ? null
        : new JobEnded(jobId, status, reason, dispatch, attempt, endedAtNs);
  }

  private static @Nullable Status status(@Nullable String name) {
    for (Status status : STATUSES) {
      if (status.name().equals(name)) {
        return status;
      }
    }
    return null;
  }

  private static byte @Nullable [] blocked(Blocked span) {
    var json = new JsonOutput(EXPECTED);
    json.number(BLOCKED, span.fromNs());
    json.number(TO, span.toNs());
    json.name(CAUSE, span.cause());
    json.raw(VERSION_1);
    return json.bytes();
  }

  private static @Nullable Blocked blocked(JsonInput json) {
    long fromNs = json.number(BLOCKED);
    long toNs = json.number(TO);
    String cause = json.name(CAUSE);
    return !json.endsWith(VERSION_1) || cause == null || toNs <= fromNs
        ? null
        : new Blocked(fromNs, toNs, cause);
  }
}
