package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.log.LeftRun;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildProcess;
import dev.sluice.harness.process.ChildProcess.Signal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each role a process of its own, as a person starts them by hand. */
@Tag("slow")
@Timeout(300)
final class RoleProcessesTest {
  private static final ProcessClock CLOCK = MachineClock.process();
  private static final Pacer PACER = MachineClock.pacer();

  private static final List<String> TWO_SHARDS =
      List.of("--set", "kafka.shards=2", "--set", "duration_seconds=3");

  private static final Duration LIMIT = Duration.ofSeconds(300);

  @TempDir private Path folder;

  @Test
  void shareTwoShards_startedInTheWorstOrder_andEndWithTheRun() throws Exception {
    int port = EmbeddedBroker.freePort();
    try (var roles = new Roles(folder, "127.0.0.1:" + port, "shared")) {
      String[] two = TWO_SHARDS.toArray(String[]::new);
      ChildProcess produce = roles.role("produce", "produce", two);
      ChildProcess analyze = roles.role("analyze", "analyze", withResults(roles, two));
      List<ChildProcess> others =
          List.of(
              roles.role("execute-a", "execute", two),
              roles.role("execute-b", "execute", two),
              roles.role("schedule-a", "schedule", two),
              roles.role("schedule-b", "schedule", two));
      roles.awaitPrinted(produce, "waiting for Kafka at 127.0.0.1:" + port);
      ChildProcess broker =
          roles.start(
              "broker",
              "broker",
              "--port",
              Integer.toString(port),
              "--data",
              folder.resolve("broker").toString());
      roles.awaitEnd(produce, 0);
      roles.awaitWhole(analyze);
      for (ChildProcess other : others) {
        roles.awaitEnd(other, 0);
      }
      assertThat(Roles.printed(produce)).containsOnlyOnce("waiting for Kafka at 127.0.0.1:" + port);

      Path finished = roles.loop().results().resolve("shared");
      var run = new Ended(0, finished, Roles.printed(analyze));
      List<Map<String, String>> rows = run.rows("trace.csv");
      assertThat(rows).hasSizeGreaterThan(200);
      assertThat(rows.stream().map(row -> row.get("job_id"))).doesNotHaveDuplicates();
      assertThat(run.count("done") + run.count("dropped")).isEqualTo(rows.size());
      assertThat(run.count("done")).isPositive();
      Set<String> executors =
          run.rows("dispatches.csv").stream()
              .map(row -> row.get("lane_id").replaceFirst("/\\d+$", ""))
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(executors).containsExactly("executor-0-0", "executor-1-0");

      try (var register =
          RunRegister.open(new Topics("shared"), kafka(port).clients(), CLOCK, e -> {})) {
        assertThat(register.owner(0)).as("of shard 0").isPresent().isNotEqualTo(register.owner(1));
        assertThat(register.owner(1)).isPresent();
        assertThat(register.presentCount()).isZero();
      }
      assertThat(LeftRun.all(kafka(port).clients()))
          .extracting(LeftRun::runId)
          .containsExactly("shared");
      broker.signal(Signal.TERM);
      roles.awaitEnd(broker, 143);
    }
  }

  @Test
  void refusesARoleWithAnotherExperiment_andOneWithOtherShards() throws Exception {
    EmbeddedBroker broker = SharedBroker.get();
    try (var roles = new Roles(folder, broker.bootstrapServers(), "agreed")) {
      ChildProcess first = roles.role("schedule", "schedule");
      try (var register = awaitRegister(roles, first, broker)) {
        ChildProcess other = roles.role("other-seed", "execute", "--set", "seed=8");
        ChildProcess sharded = roles.role("sharded", "execute", "--set", "kafka.shards=2");
        roles.awaitEnd(other, ExitStatus.MISTAKE);
        assertThat(Roles.printed(other))
            .contains("--run-id: error: the run (agreed) began with another experiment: its digest")
            .contains("  Maybe another file, --set or version of Sluice was given")
            .doesNotContain("Exception");
        roles.awaitEnd(sharded, ExitStatus.MISTAKE);
        assertThat(Roles.printed(sharded))
            .contains("error: the run (agreed) has (1) shards on this broker, and this role was");
        assertThat(register.presentCount()).isEqualTo(1);
        assertThat(first.isAlive()).isTrue();

        first.signal(Signal.TERM);
        roles.awaitEnd(first, 143);
        assertThat(register.await(() -> register.presentCount() == 0, LIMIT)).isTrue();
      }
    }
  }

  /** The register of the run, once the role has entered itself in it. */
  private static RunRegister awaitRegister(Roles roles, ChildProcess role, EmbeddedBroker broker)
      throws Exception {
    roles.awaitPrinted(role, "joined the run");
    var register =
        RunRegister.open(
            new Topics("agreed"),
            LogClients.of(Map.of("bootstrap.servers", broker.bootstrapServers())),
            CLOCK,
            e -> {});
    assertThat(register.presentCount()).isEqualTo(1);
    return register;
  }

  @Test
  void spreadsExecutorsOverShards_andGivesEachAnIdOfItsOwn() throws Exception {
    var topics = new Topics("spread");
    EmbeddedBroker broker = SharedBroker.get();
    KafkaAccess kafka = KafkaAccess.embedded(broker.bootstrapServers(), 30_000);
    RunTopics.ensure(topics, 2, kafka.clients(), System::nanoTime, PACER);
    RunTopics.ensure(topics, 2, kafka.clients(), System::nanoTime, PACER);
    try (var one = RunRegister.open(topics, kafka.clients(), CLOCK, e -> {});
        var two = RunRegister.open(topics, kafka.clients(), CLOCK, e -> {})) {
      List<RoleJoined> joins = new ArrayList<>(atOnce(one, two));
      assertThat(joins).extracting(RoleJoined::shard).containsExactlyInAnyOrder(0, 1);
      joins.addAll(atOnce(one, two));
      List<Integer> shards = joins.stream().map(RoleJoined::shard).toList();
      assertThat(shards).containsExactlyInAnyOrder(0, 0, 1, 1);
      List<String> names = joins.stream().map(j -> RunRegister.nameOf(j.instance())).toList();
      assertThat(names).doesNotHaveDuplicates().allMatch(n -> n.matches("executor-[01]-\\d"));
      assertThat(joins).extracting(RoleJoined::instance).doesNotHaveDuplicates();

      one.leave(joins.get(3));
      RoleJoined next = two.joinExecutor(null, null, "digest", 2);
      assertThat(next.shard()).isEqualTo(joins.get(3).shard());
      assertThat(names).doesNotContain(RunRegister.nameOf(next.instance()));
      RoleJoined again = one.joinExecutor(names.get(0), null, "digest", 2);
      assertThat(again.shard()).as("started again").isEqualTo(shards.get(0));
      assertThat(again.instance()).isNotEqualTo(joins.get(0).instance());
    }
  }

  /** An executor from each register, in the same moment. */
  private static List<RoleJoined> atOnce(RunRegister one, RunRegister two) throws Exception {
    var threads = Executors.newFixedThreadPool(2);
    var joins = new ArrayList<Future<RoleJoined>>();
    for (RunRegister register : List.of(one, two)) {
      joins.add(threads.submit(() -> register.joinExecutor(null, null, "digest", 2)));
    }
    threads.shutdown();
    List<RoleJoined> joined = new ArrayList<>();
    for (Future<RoleJoined> join : joins) {
      joined.add(join.get());
    }
    return joined;
  }

  @Test
  void findsItsLogAgain_whenABrokerIsKilledAndStartedAgainOnTheSamePort() throws Exception {
    int port = EmbeddedBroker.freePort();
    var topics = new Topics("kept");
    String[] command = {
      "broker", "--port", Integer.toString(port), "--data", folder.resolve("data").toString()
    };
    try (var roles = new Roles(folder, "127.0.0.1:" + port, "kept")) {
      ChildProcess first = roles.start("broker-1", command);
      roles.awaitPrinted(first, "Kafka answers: --bootstrap 127.0.0.1:" + port);
      RunTopics.create(topics, 1, kafka(port).clients());
      try (var register = RunRegister.open(topics, kafka(port).clients(), CLOCK, e -> {})) {
        RoleJoined before = register.join(Role.PRODUCE, "produce", "digest", null);
        first.signal(Signal.KILL);
        roles.awaitEnd(first, 137);
        ChildProcess second = roles.start("broker-2", command);
        roles.awaitPrinted(second, "Kafka answers");
        register.leave(before); // the same client goes on
        RoleJoined after = register.join(Role.ANALYZE, "analyze", "digest", null);
        assertThat(register.awaitOthersLeft(Set.of(after.instance()), LIMIT)).isEmpty();
        ChildProcess third = roles.start("broker-3", command);
        roles.awaitEnd(third, ExitStatus.MISTAKE);
        assertThat(Roles.printed(third))
            .contains("--port: error: the port (" + port + ") cannot be listened on");
      }
    }
  }

  private static String[] withResults(Roles roles, String... more) {
    List<String> all = new ArrayList<>(List.of(more));
    all.addAll(List.of("--keep-topics", "--results", roles.loop().results().toString()));
    return all.toArray(String[]::new);
  }

  private static KafkaAccess kafka(int port) {
    return KafkaAccess.embedded("127.0.0.1:" + port, 30_000);
  }
}
