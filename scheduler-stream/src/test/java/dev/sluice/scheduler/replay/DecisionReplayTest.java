package dev.sluice.scheduler.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.scheduler.topology.RecordedRun;
import dev.sluice.scheduler.topology.SimulatedFacts;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policies.Policies;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Decisions of logs in memory, made again. */
final class DecisionReplayTest {
  static List<String> policies() {
    return Policies.names();
  }

  private static RecordedRun recorded(String policy) {
    return RecordedRun.of(Policies.create(policy, Map.of()));
  }

  private static ReplaySettings settings(String policy) {
    return new ReplaySettings("log", RecordedRun.SETTINGS, policy, Map.of(), null);
  }

  private static void assertAllEqual(DecisionReplay replay, long compared) {
    assertThat(replay.recorded().first()).isNull();
    assertThat(replay.recorded().others()).isZero();
    assertThat(replay.recorded().compared()).isEqualTo(compared);
    assertThat(replay.unrecorded()).isZero();
  }

  @ParameterizedTest
  @MethodSource("policies")
  void findsAllDecisionsEqual_inTheLogOfTheBareCore(String policy) throws Exception {
    RecordedRun run = recorded(policy);

    DecisionReplay replay = Logs.replay(settings(policy), Logs.of(run));

    assertAllEqual(replay, run.dispatches().size() + run.outcomes().size());
    assertThat(replay.facts()).isEqualTo(run.facts().size());
    assertThat(replay.shards()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("policies")
  void findsAllDecisionsEqual_inTheLogOfASimulation(String policy) throws Exception {
    RecordedRun run = SimulatedFacts.of(policy);

    DecisionReplay replay = Logs.replay(settings(policy), Logs.of(run));

    assertAllEqual(replay, run.dispatches().size() + run.outcomes().size());
  }

  @Test
  void findsAllDecisionsEqual_inTheLogOfTwoShards() throws Exception {
    RecordedRun first = recorded("dynamic");
    RecordedRun second = SimulatedFacts.of("dynamic");

    DecisionReplay replay = Logs.replay(settings("dynamic"), Logs.ofShards(first, second));

    assertAllEqual(
        replay,
        first.dispatches().size()
            + first.outcomes().size()
            + second.dispatches().size()
            + second.outcomes().size());
    assertThat(replay.shards()).isEqualTo(2);
    assertThat(replay.facts(1)).isEqualTo(second.facts().size());
  }

  @ParameterizedTest
  @MethodSource("policies")
  void findsNoOther_whenAskedForTheRecordedSettings(String policy) throws Exception {
    var same = new ReplaySettings.Asked(policy, Map.of(), RecordedRun.SETTINGS.admission());

    DecisionReplay replay = Logs.replay(settings(policy).with(same), Logs.of(recorded(policy)));

    Tally asked = replay.asked();
    assertThat(asked).isNotNull();
    assertThat(asked.first()).isNull();
    assertThat(asked.others()).isZero();
    assertThat(asked.compared()).isEqualTo(replay.recorded().compared());
    assertThat(replay.recorded().others()).isZero();
  }

  @ParameterizedTest
  @MethodSource("policies")
  void keepsToTheRecord_whenAnotherPolicyIsAsked(String policy) throws Exception {
    RecordedRun run = recorded(policy);
    List<RecordedEntry> log = Logs.of(run);
    for (String other : Policies.names()) {
      var admission =
          CoreSettings.Admission.values()[other.length() % CoreSettings.Admission.values().length];
      var asked = new ReplaySettings.Asked(other, Map.of(), admission);
      if (settings(policy).with(asked).reasonNotToAsk() != null) {
        continue;
      }

      DecisionReplay replay = Logs.replay(settings(policy).with(asked), log);

      assertAllEqual(replay, run.dispatches().size() + run.outcomes().size());
    }
  }

  @Test
  void findsWhatTheOtherPolicyDecidesOtherwise() throws Exception {
    var fifo = new ReplaySettings.Asked("fifo", Map.of(), RecordedRun.SETTINGS.admission());

    DecisionReplay replay =
        Logs.replay(settings("dynamic").with(fifo), Logs.of(recorded("dynamic")));

    Tally asked = replay.asked();
    assertThat(asked).isNotNull();
    assertThat(asked.others()).isGreaterThan(10);
    assertThat(asked.equalCount()).isGreaterThan(100);
    assertThat(asked.othersByClass()).containsOnlyKeys("batch", "interactive");
    assertThat(asked.first()).isNotNull();
  }

  @Test
  void endsAtTheFirstDifference_whenThePolicyIsNotTheRecordedOne() throws Exception {
    List<RecordedEntry> log = Logs.of(recorded("dynamic"));

    DecisionReplay replay = Logs.replay(settings("fifo"), log);

    assertThat(replay.isOver()).isTrue();
    assertThat(replay.recorded().others()).isEqualTo(1);
    assertThat(replay.facts()).isLessThan(recorded("dynamic").facts().size());
  }

  /** Follows the record where this core decides otherwise, as if the log were another core's. */
  @Test
  void followsTheRecord_whenThePolicyIsNotTheRecordedOne_andAnotherIsAsked() throws Exception {
    RecordedRun run = recorded("dynamic");
    var dynamic = new ReplaySettings.Asked("dynamic", Map.of(), RecordedRun.SETTINGS.admission());

    DecisionReplay replay = Logs.replay(settings("fifo").with(dynamic), Logs.of(run));

    assertThat(replay.recorded().others()).isEqualTo(1);
    assertThat(replay.facts()).isEqualTo(run.facts().size());
    Tally asked = replay.asked();
    assertThat(asked).isNotNull();
    assertThat(asked.equalCount()).isGreaterThan(run.outcomes().size() / 2);
    assertThat(asked.othersByKind()).doesNotContainKeys("jobs", "started", "not_started");
  }

  @ParameterizedTest
  @MethodSource("policies")
  void findsEachDecisionThatIsMissing(String policy) throws Exception {
    List<RecordedEntry> log = Logs.of(recorded(policy));
    List<Integer> decisions = decisions(log);
    for (int i = decisions.size() - 1; i >= 0; i -= 97) {
      List<RecordedEntry> without = new ArrayList<>(log);
      without.remove((int) decisions.get(i));

      assertThat(Logs.replay(settings(policy), without).recorded().others())
          .as("without %s", text(log.get(decisions.get(i))))
          .isPositive();
    }
  }

  @Test
  void findsEachSingleChangedField_ofDispatchesAndOutcomes() throws Exception {
    List<RecordedEntry> log = Logs.of(recorded("dynamic"));
    List<Integer> decisions = decisions(log);
    var kinds = new HashSet<Class<?>>();
    for (int nth : List.of(decisions.size() / 2, decisions.size() - 40)) {
      findEachChange(log, lastOf(log, BatchDispatched.class, decisions.get(nth)), kinds);
      findEachChange(log, lastOf(log, JobEnded.class, decisions.get(nth)), kinds);
    }
    findEachChange(log, lastOf(log, Blocked.class, log.size() - 1), kinds);
    findEachChange(log, lastOf(log, BatchDispatched.class, log.size() - 1), kinds);
    findEachChange(log, decisions.get(decisions.size() - 1), kinds); // the last record
    assertThat(kinds)
        .containsExactlyInAnyOrder(BatchDispatched.class, JobEnded.class, Blocked.class);
  }

  private static int lastOf(List<RecordedEntry> log, Class<?> kind, int before) throws Exception {
    int place = before;
    while (log.get(place).topic().equals("facts") || !kind.isInstance(event(log.get(place)))) {
      place--;
    }
    return place;
  }

  private static void findEachChange(List<RecordedEntry> log, int place, Set<Class<?>> kinds)
      throws Exception {
    RecordedEntry entry = log.get(place);
    Event event = event(entry);
    kinds.add(event.getClass());
    List<Changed> changes = Changed.each(event);
    assertThat(changes).hasSizeGreaterThanOrEqualTo(event.getClass().getRecordComponents().length);
    for (Changed change : changes) {
      byte[] value =
          change.event() instanceof Outcome outcome
              ? EventCodec.OUTCOMES.write(outcome)
              : EventCodec.DISPATCHES.write((BatchDispatched) change.event());
      List<RecordedEntry> changed = new ArrayList<>(log);
      changed.set(
          place,
          new RecordedEntry(
              entry.topic(), entry.partition(), entry.offset(), entry.appendedAtEpochMs(), value));

      assertThat(Logs.replay(settings("dynamic"), changed).recorded().others())
          .as("%s of %s", change.path(), text(entry))
          .isPositive();
    }
  }

  private static Event event(RecordedEntry entry) throws Exception {
    return entry.topic().equals("outcomes")
        ? EventCodec.OUTCOMES.read(entry.value())
        : EventCodec.DISPATCHES.read(entry.value());
  }

  @Test
  void findsADecisionThatStandsTwice_andTwoThatChangedPlaces() throws Exception {
    List<RecordedEntry> log = Logs.of(recorded("dynamic"));
    List<Integer> decisions = decisions(log);
    for (String topic : List.of("dispatches", "outcomes")) {
      List<Integer> places =
          decisions.stream().filter(i -> log.get(i).topic().equals(topic)).toList();
      int at = places.get(40);
      List<RecordedEntry> twice = new ArrayList<>(log);
      twice.add(at + 1, log.get(at));
      List<RecordedEntry> swapped = new ArrayList<>(log);
      swapped.set(at, log.get(places.get(41)));
      swapped.set(places.get(41), log.get(at));

      assertThat(Logs.replay(settings("dynamic"), twice).recorded().others()).isPositive();
      assertThat(Logs.replay(settings("dynamic"), swapped).recorded().others()).isPositive();
    }
  }

  @Test
  void findsBytesThatAreNoDecision() throws Exception {
    List<RecordedEntry> log = new ArrayList<>(Logs.of(recorded("fifo")));
    int at = decisions(log).get(100);
    RecordedEntry entry = log.get(at);
    log.set(
        at,
        new RecordedEntry(
            entry.topic(),
            entry.partition(),
            entry.offset(),
            entry.appendedAtEpochMs(),
            "no event".getBytes(StandardCharsets.UTF_8)));

    Tally tally = Logs.replay(settings("fifo"), log).recorded();

    assertThat(tally.othersByKind()).containsKey("unreadable");
  }

  @Test
  void refusesALog_whoseFirstFactsAreGone() {
    List<RecordedEntry> log =
        Logs.of(recorded("fifo")).stream()
            .filter(entry -> !(entry.topic().equals("facts") && entry.offset() < 7))
            .toList();

    assertThatThrownBy(() -> Logs.replay(settings("fifo"), log))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("the facts 0 to 6 are missing");
  }

  static List<Integer> decisions(List<RecordedEntry> log) {
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < log.size(); i++) {
      if (!log.get(i).topic().equals("facts")) {
        places.add(i);
      }
    }
    return places;
  }

  static String text(RecordedEntry entry) {
    return new String(entry.value(), StandardCharsets.UTF_8);
  }
}
