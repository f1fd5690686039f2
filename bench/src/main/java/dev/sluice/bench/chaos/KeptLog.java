package dev.sluice.bench.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Records of a run's topics, by shard. The records of one partition are added in their order. */
final class KeptLog {
  private static final ObjectMapper JSON = new ObjectMapper();

  final Map<Integer, Shard> shards = new TreeMap<>();
  final Map<String, Job> jobs = new HashMap<>();
  final List<String> violations = new ArrayList<>();

  /** Largest clock offset that each executor reported. */
  final Map<String, Long> clockOffsetNs = new HashMap<>();

  long outcomes;
  private @Nullable Long zeroEpochMs;
  @Nullable Long jobsSent;
  boolean ended;
  boolean givenUp;

  /** A job, as its first request describes it, and its outcomes. */
  public static final class Job {
    final String id;
    final List<Outcome> outcomes = new ArrayList<>(1);
    @Nullable Request request;

    Job(String id) {
      this.id = id;
    }
  }

  record Request(
      int shard,
      long appendedAtNs,
      int generator,
      String classType,
      int samples,
      long sloNs,
      long intendedAtNs,
      long sentAtNs) {}

  record Outcome(
      int shard,
      String status,
      String reason,
      @Nullable String dispatchId,
      int attempt,
      long endedAtNs,
      long appendedAtNs) {}

  /** A dispatch, as its first copy describes it. */
  static final class Dispatch {
    final String id;
    final byte[] digest;
    final long factOffset;
    final int index;
    final String executor;
    final long incarnation;
    final int[] lanes;
    final List<String> jobs;
    final long tokens;
    final long decidedAtNs;
    boolean committed;
    int copies = 1;

    Dispatch(String id, byte[] digest, JsonNode tree) {
      this.id = id;
      this.digest = digest;
      this.factOffset = Long.parseLong(id.substring(0, id.indexOf('-')));
      this.index = Integer.parseInt(id.substring(id.indexOf('-') + 1));
      this.executor = tree.path("executorId").asText();
      this.incarnation = tree.path("incarnation").asLong();
      this.lanes = new int[tree.path("lanes").size()];
      for (int i = 0; i < lanes.length; i++) {
        lanes[i] = tree.path("lanes").path(i).asInt();
      }
      this.jobs = new ArrayList<>();
      tree.path("jobs").forEach(job -> jobs.add(job.path("jobId").asText()));
      this.tokens = tree.path("tokens").asLong();
      this.decidedAtNs = tree.path("decidedAtNs").asLong();
    }
  }

  /**
   * An answer to a dispatch.
   *
   * @param logTimeNs log time of the fact
   */
  record Completion(
      String dispatchId,
      long offset,
      long logTimeNs,
      String executor,
      long incarnation,
      int lane,
      String result,
      @Nullable Long startedAtNs,
      @Nullable Long finishedAtNs) {
    boolean ran() {
      return startedAtNs != null && finishedAtNs != null;
    }
  }

  /** An executor's report of itself; {@code tokens} is null without a budget. */
  record Report(String executor, long incarnation, long offset, @Nullable Long tokens) {}

  /** One partition of facts, dispatches and outcomes. */
  static final class Shard {
    public final Map<String, Dispatch> dispatches = new HashMap<>();
    final List<Completion> completions = new ArrayList<>();
    final List<Report> reports = new ArrayList<>();
    final Map<Integer, Long> announced = new TreeMap<>();
    long logTimeNs;
    private final Map<String, List<Completion>> answers = new TreeMap<>();

    void add(Completion completion) {
      completions.add(completion);
      answers.computeIfAbsent(completion.dispatchId(), id -> new ArrayList<>(1)).add(completion);
    }

    /** Answers by dispatch, in log order. */
    Map<String, List<Completion>> answers() {
      return answers;
    }
  }

  Shard shard(int index) {
    return shards.computeIfAbsent(index, i -> new Shard());
  }

  private Job job(String id) {
    return jobs.computeIfAbsent(id, Job::new);
  }

  /** Adds a record of {@code runs}; read these first, since they give time zero to all others. */
  void addRunRecord(byte[] bytes) {
    JsonNode tree = tree(bytes);
    if (tree == null) {
      return; // the run's dead letters hold the record
    }
    switch (tree.path("type").asText()) {
      case "RunStarted" ->
          zeroEpochMs = zeroEpochMs == null ? tree.path("timeZeroEpochMs").asLong() : zeroEpochMs;
      case "RunEnded" -> {
        if (!ended) {
          ended = true;
          jobsSent = tree.path("jobsSent").asLong();
          givenUp = tree.hasNonNull("failure");
        }
      }
      default -> {}
    }
  }

  void addFact(int shardIndex, long offset, long appendedAtEpochMs, byte[] bytes) {
    JsonNode tree = tree(bytes);
    if (tree == null) {
      return;
    }
    Shard shard = shard(shardIndex);
    long appendedAtNs = sinceZeroNs(appendedAtEpochMs);
    shard.logTimeNs = Math.max(shard.logTimeNs, appendedAtNs);
    switch (tree.path("type").asText()) {
      case "JobRequested" -> {
        Job job = job(tree.path("jobId").asText());
        if (job.request == null) {
          job.request = request(shardIndex, appendedAtNs, tree);
        }
      }
      case "BatchCompleted" -> shard.add(completion(offset, shard.logTimeNs, tree));
      case "ExecutorReported" -> {
        String executor = tree.path("executorId").asText();
        shard.reports.add(
            new Report(
                executor,
                tree.path("incarnation").asLong(),
                offset,
                tree.hasNonNull("tokens") ? tree.path("tokens").asLong() : null));
        clockOffsetNs.merge(executor, tree.path("clockOffsetNsMax").asLong(), Math::max);
      }
      case "ArrivalsEnded" ->
          shard.announced.putIfAbsent(
              tree.path("generator").asInt(), tree.path("jobsSent").asLong());
      default -> {}
    }
  }

  private static Request request(int shard, long appendedAtNs, JsonNode tree) {
    return new Request(
        shard,
        appendedAtNs,
        tree.path("generator").asInt(),
        tree.path("classType").asText(),
        tree.path("samples").asInt(),
        tree.path("sloNs").asLong(),
        tree.path("intendedAtNs").asLong(),
        tree.path("sentAtNs").asLong());
  }

  private static Completion completion(long offset, long logTimeNs, JsonNode tree) {
    return new Completion(
        tree.path("dispatchId").asText(),
        offset,
        logTimeNs,
        tree.path("executorId").asText(),
        tree.path("incarnation").asLong(),
        tree.path("lane").asInt(),
        tree.path("result").asText(),
        tree.hasNonNull("startedAtNs") ? tree.path("startedAtNs").asLong() : null,
        tree.hasNonNull("finishedAtNs") ? tree.path("finishedAtNs").asLong() : null);
  }

  /** A copy of a dispatch, of a transaction that was committed or not. */
  void addDispatch(int shardIndex, byte[] bytes) {
    JsonNode tree = tree(bytes);
    if (tree == null) {
      return;
    }
    String id = tree.path("dispatchId").asText();
    byte[] digest = sha256(bytes);
    Shard shard = shard(shardIndex);
    Dispatch first = shard.dispatches.get(id);
    if (first == null) {
      shard.dispatches.put(id, new Dispatch(id, digest, tree));
    } else {
      first.copies++;
      if (!Arrays.equals(first.digest, digest)) {
        violations.add("dispatch " + shardIndex + "/" + id + " stands in the log in two versions");
      }
    }
  }

  /** A dispatch of a committed transaction; all copies must have been added before. */
  void addCommittedDispatch(int shardIndex, byte[] bytes) {
    JsonNode tree = tree(bytes);
    if (tree == null) {
      return;
    }
    String id = tree.path("dispatchId").asText();
    Dispatch dispatch = shard(shardIndex).dispatches.get(id);
    if (dispatch == null || dispatch.committed) {
      violations.add("dispatch " + shardIndex + "/" + id + " was committed twice");
    } else {
      dispatch.committed = true;
    }
  }

  void addOutcome(int shardIndex, long appendedAtEpochMs, byte[] bytes) {
    JsonNode tree = tree(bytes);
    if (tree != null && tree.path("type").asText().equals("JobEnded")) {
      outcomes++;
      job(tree.path("jobId").asText())
          .outcomes
          .add(
              new Outcome(
                  shardIndex,
                  tree.path("status").asText(),
                  tree.path("reason").asText(""),
                  tree.hasNonNull("dispatchId") ? tree.path("dispatchId").asText() : null,
                  tree.path("attempt").asInt(),
                  tree.path("endedAtNs").asLong(),
                  sinceZeroNs(appendedAtEpochMs)));
    }
  }

  private long sinceZeroNs(long epochMs) {
    return zeroEpochMs == null ? 0 : (epochMs - zeroEpochMs) * 1_000_000;
  }

  boolean started() {
    return zeroEpochMs != null;
  }

  private static @Nullable JsonNode tree(byte[] bytes) {
    try {
      return JSON.readTree(bytes);
    } catch (IOException e) {
      return null;
    }
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
