package dev.sluice.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.fold.SyntheticRun.Entry;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.value.DispatchId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole run passes; each violation that is planted in it or in its folder is found by name. */
final class LogAuditTest {
  private static final String JOB = "job-40";

  @TempDir private static Path whole;
  private static List<Entry> log = List.of();

  @TempDir private Path folder;

  @BeforeAll
  static void run() throws IOException {
    var run = SyntheticRun.of(SyntheticRun.experiment(45, 1, 6, 2, Map.of()), 5);
    log = List.copyOf(run.entries());
    run.report().write(whole);
  }

  @Test
  void passesAWholeRun() throws IOException {
    LogAudit audit = audit(log, List.of());
    assertThat(audit.violations()).isEmpty();
    assertThat(audit.jobs()).isEqualTo(count(JobRequested.class)).isGreaterThan(200);
    assertThat(audit.outcomes()).isEqualTo(audit.jobs());
    assertThat(audit.dispatches()).isEqualTo(count(BatchDispatched.class));
    assertThat(audit.completions()).isEqualTo(count(BatchCompleted.class));
    assertThat(audit.copiesMadeAgain()).isZero();
    assertThat(audit.attemptsAgain()).isZero();
  }

  @Test
  void passesWhatWasMadeAgainInTheSameWords() throws IOException {
    List<Entry> again = new ArrayList<>(log);
    again.add(first(BatchDispatched.class));
    again.add(first(BatchCompleted.class));
    again.add(first(JobRequested.class));
    LogAudit audit = audit(again, List.of());
    assertThat(audit.violations()).isEmpty();
    assertThat(audit.copiesMadeAgain()).isEqualTo(1);
  }

  @Test
  void findsAJobWithoutAnOutcome_withTwo_andAnOutcomeOfNoJob() throws IOException {
    List<Entry> without = new ArrayList<>(log);
    without.remove(end(JOB));
    finds(without, "job job-40 has 0 outcomes");

    List<Entry> twice = new ArrayList<>(log);
    twice.add(end(JOB));
    finds(twice, "job job-40 has 2 outcomes");

    finds(
        with(end(JOB), ended(JOB, "ghost", null, 0)),
        "job ghost was never requested and has an outcome");
  }

  @Test
  void findsAnnouncementsThatAreNotTheRequests() throws IOException {
    finds(
        with(first(ArrivalsEnded.class), ArrivalsEnded.punctual(0, 7)),
        "generator 0 announced 7 jobs to shard 0, which holds " + count(JobRequested.class));
    finds(
        with(first(RunEnded.class), new RunEnded("run-1", 7, false, false, 1, null, null)),
        "the run's end names 7 jobs, the log holds " + count(JobRequested.class));
    List<Entry> endless = new ArrayList<>(log);
    endless.remove(first(RunEnded.class));
    finds(endless, "the run has no end");
  }

  @Test
  void findsADispatchThatRanTwice_orInTwoVersions_orWasNeverMade() throws IOException {
    BatchCompleted done = completion(JOB);
    List<Entry> ranTwice = new ArrayList<>(log);
    ranTwice.add(facts(completed(done, done.dispatchId(), 2, ns(done.startedAtNs()) + 9)));
    finds(ranTwice, "dispatch 0/" + done.dispatchId() + " ran 2 times");

    List<Entry> twoVersions = new ArrayList<>(log);
    twoVersions.add(new Entry(retokened(dispatch(JOB)), "dispatches", 0));
    finds(twoVersions, "dispatch 0/" + done.dispatchId() + " stands in the log in two versions");

    var unknown = new DispatchId(999_999, 0);
    List<Entry> neverMade = new ArrayList<>(log);
    neverMade.add(facts(completed(done, unknown, 1, 1)));
    finds(neverMade, "dispatch 0/999999-0 was answered and never made");
  }

  @Test
  void findsADispatchThatWasNeverCommitted() throws IOException {
    KeptLog kept = kept(log, Set.of(dispatch(JOB).dispatchId()));
    assertThat(LogAudit.of(kept, whole, List.of()).violations())
        .contains(
            "dispatch 0/"
                + dispatch(JOB).dispatchId()
                + " was shown to executors, never committed");
  }

  @Test
  void findsTwoBatchesOnALaneAtOnce() throws IOException {
    BatchCompleted done = completion(JOB);
    BatchCompleted before =
        log.stream()
            .map(Entry::event)
            .filter(e -> e instanceof BatchCompleted c && c.lane() == done.lane())
            .map(BatchCompleted.class::cast)
            .filter(c -> ns(c.startedAtNs()) < ns(done.startedAtNs()))
            .max(Comparator.comparingLong(c -> ns(c.startedAtNs())))
            .orElseThrow();
    finds(
        with(entry(done), completed(done, done.dispatchId(), 1, ns(before.finishedAtNs()) - 1)),
        "ran dispatches " + before.dispatchId() + " and " + done.dispatchId() + " at once");
  }

  @Test
  void findsTokensBeyondTheBudget() throws IOException {
    List<Entry> poor =
        map(
            entry ->
                entry.event() instanceof ExecutorReported r
                    ? new Entry(
                        ExecutorReported.of(
                            r.executorId(), 1, false, "cpu", 100L, r.lanes(), List.of()),
                        "facts",
                        entry.appendedAtEpochMs())
                    : entry);
    finds(poor, "took local to 168 tokens of 100");
  }

  @Test
  void findsADoneJobWithoutItsWork_orEndedAtAnotherTime() throws IOException {
    JobEnded ended = (JobEnded) end(JOB).event();
    finds(
        with(end(JOB), ended(JOB, JOB, completion("job-41").dispatchId(), ended.endedAtNs())),
        "job job-40 is done by a dispatch that does not hold it");
    List<Entry> unanswered = new ArrayList<>(log);
    unanswered.remove(entry(completion(JOB)));
    finds(unanswered, "job job-40 is done, but its dispatch " + ended.dispatchId() + " is not");
    finds(
        with(end(JOB), ended(JOB, JOB, ended.dispatchId(), ended.endedAtNs() + 1_000_000)),
        "job job-40 ended at " + (ended.endedAtNs() + 1_000_000) + " ns, but its dispatch");
  }

  @Test
  void findsAStartBeforeTheArrival() throws IOException {
    BatchCompleted done = completion(JOB);
    long intendedAtNs =
        log.stream()
            .filter(e -> e.event() instanceof JobRequested r && r.jobId().equals(JOB))
            .mapToLong(e -> ((JobRequested) e.event()).intendedAtNs())
            .findFirst()
            .orElseThrow();
    finds(
        with(entry(done), completed(done, done.dispatchId(), 1, intendedAtNs - 200_001)),
        "started before the intended arrival of its job job-40");
  }

  @Test
  void findsATraceThatIsNotTheLog() throws IOException {
    findsInFolder("trace.csv", row(JOB), line -> "", "trace.csv does not hold job job-40");
    findsInFolder(
        "trace.csv", row(JOB), line -> line + "\n" + line, "trace.csv holds job job-40 twice");
    findsInFolder(
        "trace.csv",
        row(JOB),
        line -> line.replace(",done,", ",failed,"),
        "trace.csv: job job-40: status is (failed), the log gives (done)");
    findsInFolder(
        "trace.csv",
        row(JOB),
        line -> {
          String[] cells = line.split(",", -1);
          cells[10] = "0.000001";
          return String.join(",", cells);
        },
        "trace.csv: job job-40: end_time is (0.000001), the log gives "
            + completion(JOB).finishedAtNs()
            + " ns");
    findsInFolder(
        "dispatches.csv",
        line -> line.startsWith(completion(JOB).dispatchId() + ","),
        line -> "",
        "dispatches.csv does not hold dispatch 0/" + completion(JOB).dispatchId());
  }

  @Test
  void findsASummaryThatIsNoRecount() throws IOException {
    findsInFolder(
        "summary.json",
        line -> line.contains("\"batch_dropped\""),
        line -> "  \"batch_dropped\" : 77,",
        "summary.json: batch_dropped is 77, the log gives ");
  }

  @Test
  void findsADisturbedRunThatIsNotMarked() throws IOException {
    assertThat(audit(log, List.of("kill -9 of executor-0 at 3.0 s")).violations())
        .containsExactly(
            "the run is not marked as not comparable, in spite of: kill -9 of executor-0 at 3.0 s");
  }

  private static LogAudit audit(List<Entry> entries, List<String> injected) throws IOException {
    return LogAudit.of(kept(entries, Set.of()), whole, injected);
  }

  private static void finds(List<Entry> entries, String violation) throws IOException {
    assertThat(audit(entries, List.of()).violations()).anyMatch(v -> v.contains(violation));
  }

  private void findsInFolder(
      String file,
      java.util.function.Predicate<String> which,
      UnaryOperator<String> change,
      String violation)
      throws IOException {
    for (String name : List.of("trace.csv", "dispatches.csv", "summary.json")) {
      List<String> lines = new ArrayList<>(Files.readAllLines(whole.resolve(name)));
      if (name.equals(file)) {
        lines.replaceAll(line -> which.test(line) ? change.apply(line) : line);
        lines.removeIf(String::isEmpty);
      }
      Files.write(folder.resolve(name), lines);
    }
    List<String> found = LogAudit.of(kept(log, Set.of()), folder, List.of()).violations();
    assertThat(found).anyMatch(v -> v.contains(violation)).hasSizeLessThan(3);
  }

  private static java.util.function.Predicate<String> row(String job) {
    return line -> line.contains("," + job + ",");
  }

  /** As the topics hold it; transactions that made those dispatches were not committed. */
  private static KeptLog kept(List<Entry> entries, Set<DispatchId> uncommitted) {
    var kept = new KeptLog();
    of("runs", entries).forEach(e -> kept.addRunRecord(bytes(e)));
    long offset = 0;
    for (Entry entry : of("facts", entries)) {
      kept.addFact(0, offset++, entry.appendedAtEpochMs(), bytes(entry));
    }
    of("dispatches", entries).forEach(e -> kept.addDispatch(0, bytes(e)));
    Set<DispatchId> committed = new HashSet<>(uncommitted);
    for (Entry entry : of("dispatches", entries)) {
      if (committed.add(((BatchDispatched) entry.event()).dispatchId())) {
        kept.addCommittedDispatch(0, bytes(entry));
      }
    }
    of("outcomes", entries).forEach(e -> kept.addOutcome(0, e.appendedAtEpochMs(), bytes(e)));
    return kept;
  }

  private static List<Entry> of(String topic, List<Entry> entries) {
    return entries.stream().filter(entry -> entry.topic().equals(topic)).toList();
  }

  private static byte[] bytes(Entry entry) {
    return switch (entry.topic()) {
      case "runs" -> EventCodec.RUNS.write((RunRecord) entry.event());
      case "facts" -> EventCodec.FACTS.write((Fact) entry.event());
      case "dispatches" -> EventCodec.DISPATCHES.write((BatchDispatched) entry.event());
      default -> EventCodec.OUTCOMES.write((Outcome) entry.event());
    };
  }

  private static List<Entry> map(UnaryOperator<Entry> change) {
    return log.stream().map(change).toList();
  }

  private static List<Entry> with(Entry old, Event event) {
    return map(
        entry -> entry == old ? new Entry(event, entry.topic(), entry.appendedAtEpochMs()) : entry);
  }

  private static Entry facts(Event event) {
    return new Entry(event, "facts", log.get(log.size() - 1).appendedAtEpochMs());
  }

  private static Entry first(Class<?> type) {
    return log.stream().filter(e -> type.isInstance(e.event())).findFirst().orElseThrow();
  }

  private static long count(Class<?> type) {
    return log.stream()
        .filter(e -> type.isInstance(e.event()) && e.topic().equals(first(type).topic()))
        .count();
  }

  private static Entry end(String job) {
    return log.stream()
        .filter(e -> e.event() instanceof JobEnded end && end.jobId().equals(job))
        .findFirst()
        .orElseThrow();
  }

  private static Entry entry(Event event) {
    return log.stream().filter(e -> e.event() == event).findFirst().orElseThrow();
  }

  private static BatchDispatched dispatch(String job) {
    return log.stream()
        .map(Entry::event)
        .filter(e -> e instanceof BatchDispatched d && d.work().jobs().get(0).jobId().equals(job))
        .map(BatchDispatched.class::cast)
        .findFirst()
        .orElseThrow();
  }

  private static BatchCompleted completion(String job) {
    DispatchId id = dispatch(job).dispatchId();
    return log.stream()
        .map(Entry::event)
        .filter(e -> e instanceof BatchCompleted c && c.dispatchId().equals(id))
        .map(BatchCompleted.class::cast)
        .findFirst()
        .orElseThrow();
  }

  private static JobEnded ended(
      String like, String job, @Nullable DispatchId dispatch, long endedAtNs) {
    JobEnded old = (JobEnded) end(like).event();
    return new JobEnded(job, old.status(), null, dispatch, old.attempt(), endedAtNs);
  }

  private static BatchCompleted completed(
      BatchCompleted old, DispatchId id, long incarnation, long startedAtNs) {
    return new BatchCompleted(
        id,
        old.executorId(),
        incarnation,
        old.lane(),
        startedAtNs,
        startedAtNs + old.serviceNs(),
        old.serviceNs(),
        0,
        old.result(),
        null,
        List.of(),
        null,
        old.busyLanes());
  }

  private static BatchDispatched retokened(BatchDispatched old) {
    Work work = old.work();
    return new BatchDispatched(
        old.dispatchId(),
        old.place(),
        new Work(work.model(), work.jobs(), work.samples(), work.tokens() + 1, work.attempt()),
        new Decision(old.decision().decidedAtNs(), null, old.decision().scoreTerms(), null, null),
        old.prediction());
  }

  private static long ns(@Nullable Long value) {
    return value == null ? 0 : value;
  }
}
