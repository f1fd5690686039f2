import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The second opinion on a run's folder: counts trace.csv and dispatches.csv anew, sharing no code
 * with Sluice, and compares with summary.json. Usage: java .ci/Recount.java FOLDER JOBS_MIN
 */
public final class Recount {
  private static final double TOLERANCE_MS = 0.002;
  private static int checks;
  private static int faults;

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    int jobsMin = Integer.parseInt(arguments[1]);
    List<Map<String, String>> jobs = csv(folder.resolve("trace.csv"));
    List<Map<String, String>> dispatches = csv(folder.resolve("dispatches.csv"));
    String summary = Files.readString(folder.resolve("summary.json"));

    check("jobs in the trace, at least " + jobsMin, jobs.size() >= jobsMin);
    eachJobOnce(jobs);
    eachRowIsConsistent(jobs);
    noLaneRanTwoBatchesAtOnce(dispatches);
    batchesHoldTheirJobs(jobs, dispatches);
    List<Map<String, String>> measured =
        jobs.stream().filter(j -> j.get("phase").equals("measured")).toList();
    check("some jobs are measured", !measured.isEmpty());
    figures("all", measured, summary);
    for (String name : List.of("interactive", "batch")) {
      figures(
          name, measured.stream().filter(j -> j.get("class_type").equals(name)).toList(), summary);
    }
    predictions(measured, dispatches, summary);
    List<String> plots =
        new ArrayList<>(
            List.of(
                "latency_cdf", "slo_violations", "latency_percentiles", "latency_over_time",
                "wait_time_dist", "lane_timeline", "queue_depth", "predicted_vs_actual"));
    if (dispatches.stream().anyMatch(d -> !d.get("predicted_p95_ms").isEmpty())) {
      plots.add("coverage_over_time");
    }
    for (String plot : plots) {
      Path png = folder.resolve("plots/" + plot + ".png");
      check(plot + ".png", Files.exists(png) && Files.size(png) > 5_000);
    }
    check("config.yaml", Files.size(folder.resolve("config.yaml")) > 200);
    System.out.println(checks - faults + " passed, " + faults + " failed");
    System.exit(faults == 0 ? 0 : 1);
  }

  private static void eachJobOnce(List<Map<String, String>> jobs) {
    Set<String> ids = new HashSet<>();
    jobs.forEach(j -> check("job once: " + j.get("job_id"), ids.add(j.get("job_id"))));
    for (int i = 0; i < ids.size(); i++) {
      check("no job is missing: job-" + i, ids.contains("job-" + i));
    }
  }

  private static void eachRowIsConsistent(List<Map<String, String>> jobs) {
    for (Map<String, String> job : jobs) {
      String id = job.get("job_id");
      double slo = number(job, "slo_ms");
      if (job.get("status").equals("done")) {
        double enqueue = number(job, "enqueue_time") * 1e3;
        double start = number(job, "start_time") * 1e3;
        double end = number(job, "end_time") * 1e3;
        close(id + " wait_ms", start - enqueue, number(job, "wait_ms"));
        close(id + " service_ms", end - start, number(job, "service_ms"));
        close(id + " e2e_ms", end - enqueue, number(job, "e2e_ms"));
        check(id + " not before it arrived", start >= number(job, "sent_time") * 1e3 - 0.001);
        check(
            id + " violation",
            job.get("slo_violation").equals(number(job, "e2e_ms") > slo ? "1" : "0"));
      } else {
        check(id + " has a reason", !job.get("reason").isEmpty());
        check(id + " counts as violation", job.get("slo_violation").equals("1"));
      }
    }
  }

  private static void noLaneRanTwoBatchesAtOnce(List<Map<String, String>> dispatches) {
    Map<String, TreeMap<Double, Double>> byLane = new LinkedHashMap<>();
    for (Map<String, String> dispatch : dispatches) {
      if (!dispatch.get("start_time").isEmpty()) {
        var lane = byLane.computeIfAbsent(dispatch.get("lane_id"), l -> new TreeMap<>());
        double started = number(dispatch, "start_time");
        double ended = number(dispatch, "end_time");
        var before = lane.floorEntry(started);
        var after = lane.ceilingEntry(started);
        check(
            "lane free for " + dispatch.get("dispatch_id"),
            (before == null || before.getValue() <= started + 1e-6)
                && (after == null || after.getKey() >= ended - 1e-6));
        lane.put(started, ended);
      }
    }
    check("batches ran", !byLane.isEmpty());
  }

  private static void batchesHoldTheirJobs(
      List<Map<String, String>> jobs, List<Map<String, String>> dispatches) {
    Map<String, Integer> samples = new LinkedHashMap<>();
    for (Map<String, String> job : jobs) {
      if (job.get("status").equals("done")) {
        samples.merge(inShard(job), (int) number(job, "batch_size"), Integer::sum);
      }
    }
    for (Map<String, String> dispatch : dispatches) {
      if (dispatch.get("result").equals("done")) {
        check(
            "samples of " + dispatch.get("dispatch_id"),
            samples.getOrDefault(inShard(dispatch), 0) == (int) number(dispatch, "samples"));
      }
    }
  }

  /** Dispatch ids are unique within a shard. */
  private static String inShard(Map<String, String> row) {
    return row.get("shard") + "/" + row.get("dispatch_id");
  }

  private static void figures(String name, List<Map<String, String>> jobs, String summary) {
    List<Map<String, String>> done =
        jobs.stream().filter(j -> j.get("status").equals("done")).toList();
    equal(name + "_count", jobs.size(), summary);
    equal(
        name + "_total_samples", jobs.stream().mapToDouble(j -> number(j, "batch_size")).sum(),
        summary);
    equal(name + "_avg_e2e_ms", average(done, j -> number(j, "e2e_ms")), summary);
    equal(name + "_avg_wait_ms", average(done, j -> number(j, "wait_ms")), summary);
    equal(name + "_avg_service_ms", average(done, j -> number(j, "service_ms")), summary);
    double[] e2e =
        jobs.stream()
            .mapToDouble(
                j -> j.get("status").equals("done") ? number(j, "e2e_ms") : Double.POSITIVE_INFINITY)
            .sorted()
            .toArray();
    for (int p : new int[] {50, 95, 99}) {
      double value =
          e2e.length == 0
              ? Double.NaN
              : e2e[Math.max(0, (int) Math.ceil(p / 100.0 * e2e.length - 1e-9) - 1)];
      equal(name + "_p" + p + "_e2e_ms", Double.isInfinite(value) ? Double.NaN : value, summary);
    }
    double violations = jobs.stream().mapToDouble(j -> number(j, "slo_violation")).sum();
    equal(name + "_slo_violations", violations, summary);
    equal(
        name + "_slo_violation_rate", jobs.isEmpty() ? Double.NaN : violations / jobs.size(),
        summary);
  }

  /** Over the batches that ended a measured job as done, each once. */
  private static void predictions(
      List<Map<String, String>> measured, List<Map<String, String>> dispatches, String summary) {
    Set<String> ended = new HashSet<>();
    measured.stream()
        .filter(j -> j.get("status").equals("done"))
        .forEach(j -> ended.add(inShard(j)));
    List<Map<String, String>> batches =
        dispatches.stream().filter(d -> ended.contains(inShard(d))).toList();
    equal("prediction_count", batches.size(), summary);
    equal(
        "prediction_bias",
        average(
            batches, d -> Math.log(number(d, "service_ms") / number(d, "predicted_service_ms"))),
        summary);
    for (String bound : List.of("p95", "p99")) {
      List<Map<String, String>> judged =
          batches.stream().filter(d -> !d.get("predicted_" + bound + "_ms").isEmpty()).toList();
      equal("prediction_" + bound + "_count", judged.size(), summary);
      equal(
          "prediction_" + bound + "_miss_rate",
          average(
              judged,
              d -> number(d, "service_ms") > number(d, "predicted_" + bound + "_ms") ? 1 : 0),
          summary);
    }
  }

  private static double average(
      List<Map<String, String>> rows, ToDoubleFunction<Map<String, String>> value) {
    return rows.stream().mapToDouble(value).average().orElse(Double.NaN);
  }

  /** NaN stands for null. */
  private static void equal(String figure, double expected, String summary) {
    Matcher found =
        Pattern.compile("(?m)^  \"" + figure + "\"\\s*:\\s*(null|[-+0-9.eE]+)").matcher(summary);
    if (!found.find()) {
      check(figure + " stands in summary.json", false);
      return;
    }
    double stated = found.group(1).equals("null") ? Double.NaN : Double.parseDouble(found.group(1));
    boolean same =
        Double.isNaN(expected)
            ? Double.isNaN(stated)
            : Math.abs(expected - stated) <= TOLERANCE_MS + 1e-9 * Math.abs(expected);
    check(figure + ": counted " + expected + ", stated " + stated, same);
  }

  private static void close(String what, double expected, double stated) {
    check(
        what + ": counted " + expected + ", stated " + stated,
        Math.abs(expected - stated) <= TOLERANCE_MS);
  }

  private static void check(String what, boolean holds) {
    checks++;
    if (!holds) {
      faults++;
      System.out.println("FAULT: " + what);
    }
  }

  private static double number(Map<String, String> row, String column) {
    return Double.parseDouble(row.get(column));
  }

  /** No field of these files holds a comma in quotes but lists of jobs and score terms. */
  private static List<Map<String, String>> csv(Path file) throws Exception {
    List<String> lines = Files.readAllLines(file);
    String[] header = split(lines.get(0));
    List<Map<String, String>> rows = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] fields = split(line);
      Map<String, String> row = new LinkedHashMap<>();
      for (int i = 0; i < header.length; i++) {
        row.put(header[i], fields[i]);
      }
      rows.add(row);
    }
    return rows;
  }

  private static String[] split(String line) {
    List<String> fields = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    boolean quoted = false;
    for (char c : line.toCharArray()) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        fields.add(field.toString());
        field.setLength(0);
      } else {
        field.append(c);
      }
    }
    fields.add(field.toString());
    return fields.toArray(String[]::new);
  }
}
