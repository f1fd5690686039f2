package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.MachineClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What runs leave on a Kafka that is not ours, and how it goes. */
@Tag("slow")
final class TopicsCommandTest {
  private static final ProcessClock CLOCK = MachineClock.process();
  private static final Pacer PACER = MachineClock.pacer();

  @TempDir private Path folder;
  private EmbeddedBroker broker;
  private KafkaAccess kafka;

  @BeforeEach
  void startBroker() throws Exception {
    broker = EmbeddedBroker.start(folder.resolve("broker"));
    kafka = KafkaAccess.embedded(broker.bootstrapServers(), 30_000);
  }

  @AfterEach
  void stopBroker() {
    broker.close();
  }

  @Test
  void removesARunsTopicsAndGroup_unlessToldToKeepThem_andPrunesOnlyWhatIsARun() throws Exception {
    run("gone");
    assertThat(topics()).isEmpty();
    assertThat(groups()).isEmpty();
    run("kept", "--keep-topics");
    RunTopics.ensure(new Topics("unfinished"), 2, kafka.clients(), System::nanoTime, PACER);
    try (var register =
        RunRegister.open(new Topics("unfinished"), kafka.clients(), CLOCK, e -> {})) {
      var unused = register.join(Role.SCHEDULE, "schedule", "digest", null);
    }
    make("strangers.runs", "strangers.facts", "unrelated", "kept.facts-copy");

    JsonNode runs = new ObjectMapper().readTree(topics("list", "--json").out());
    assertThat(runs.findValuesAsText("run_id")).containsExactly("kept", "unfinished");
    JsonNode kept = runs.get(0);
    assertThat(kept.path("shards").asInt()).isEqualTo(1);
    assertThat(kept.path("ended").asBoolean()).isTrue();
    assertThat(kept.path("facts").asInt()).isGreaterThan(100);
    assertThat(kept.path("began").asText()).startsWith("20");
    assertThat(texts(kept.path("topics")))
        .contains("kept.facts", "kept.scheduler-state-changelog")
        .doesNotContain("kept.facts-copy");
    assertThat(runs.get(1).path("ended").asBoolean()).isFalse();
    assertThat(runs.get(1).path("shards").asInt()).isEqualTo(2);
    assertThat(topics("list").out()).contains("kept").contains("unfinished");

    Set<String> before = topics();
    assertThat(topics("prune", "--dry-run").out())
        .contains("would remove kept: ")
        .doesNotContain("unfinished");
    assertThat(topics()).isEqualTo(before);
    assertThat(topics("prune").out()).contains("removed kept: ").doesNotContain("unfinished");
    assertThat(topics()).contains("unfinished.runs").noneMatch(t -> t.startsWith("kept.runs"));
    assertThat(groups()).isEmpty();
    topics("prune", "--all").says("left unfinished: it has not ended, and may go on");
    assertThat(topics()).contains("unfinished.runs");
    assertThat(topics("prune", "--all", "--yes", "--dry-run").out())
        .contains("would remove unfinished: ");
    BadInputCommand strangers = topics("prune", "strangers");
    assertThat(strangers.status()).isEqualTo(ExitStatus.MISTAKE);
    strangers.says("no run with this id has left topics (strangers)").says("unfinished");
    topics("prune", "unfinished");
    assertThat(topics())
        .containsExactly("kept.facts-copy", "strangers.facts", "strangers.runs", "unrelated");
    assertThat(topics("list").out()).contains("no run has left topics");
  }

  @Test
  void removesAGroupWhoseMembersHaveAlreadyTimedOut() throws Exception {
    var topics = new Topics("emptied");
    RunTopics.ensure(topics, 1, kafka.clients(), System::nanoTime, PACER);
    try (var admin = Admin.create(kafka.clients().properties())) {
      admin
          .alterConsumerGroupOffsets(
              "emptied.scheduler",
              Map.of(new TopicPartition(topics.facts(), 0), new OffsetAndMetadata(0)))
          .all()
          .get();
    }
    assertThat(groups()).containsExactly("emptied.scheduler");
    assertThat(RunTopics.remove(topics, kafka.clients())).contains("emptied.facts");
    assertThat(groups()).isEmpty();
    assertThat(topics()).noneMatch(name -> name.startsWith("emptied."));
  }

  private void run(String runId, String... more) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "run",
                new Loop(folder, null).write(Loop.EMULATED).toString(),
                "--results",
                folder.resolve("results").toString(),
                "--bootstrap",
                broker.bootstrapServers(),
                "--run-id",
                runId));
    arguments.addAll(List.of(more));
    BadInputCommand run = sluice(arguments.toArray(String[]::new));
    assertThat(run.status()).as(run.out() + run.err()).isZero();
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  private BadInputCommand topics(String... arguments) {
    List<String> all = new ArrayList<>(List.of("topics"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--bootstrap", broker.bootstrapServers()));
    return sluice(all.toArray(String[]::new));
  }

  private void make(String... names) throws Exception {
    try (var admin = Admin.create(kafka.clients().properties())) {
      for (String name : names) {
        admin
            .createTopics(List.of(new NewTopic(name, Optional.of(1), Optional.empty())))
            .all()
            .get();
      }
    }
  }

  private Set<String> topics() throws Exception {
    try (var admin = Admin.create(kafka.clients().properties())) {
      return new TreeSet<>(admin.listTopics().names().get());
    }
  }

  private List<String> groups() throws Exception {
    try (var admin = Admin.create(kafka.clients().properties())) {
      return admin.listGroups().all().get().stream().map(g -> g.groupId()).toList();
    }
  }
}
