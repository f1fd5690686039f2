package dev.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.process.ChildProcess;
import dev.sluice.harness.process.ChildProcess.Signal;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.serve.MetricsAddress;
import dev.sluice.harness.serve.RoleMetrics;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import picocli.CommandLine.ParseResult;

/** docker-compose.yml and what it mounts, beside the commands and the files that it names. */
final class ComposeFileTest {
  private static final Path ROOT = Path.of("..");
  private static final Duration LIMIT = Duration.ofSeconds(240);
  private static final Pattern PORT =
      Pattern.compile("metrics at http://127\\.0\\.0\\.1:(\\d+)/metrics");
  private static final Pattern WITH_DEFAULT = Pattern.compile("\\$\\{\\w+:-([^}]*)\\}");

  @TempDir private Path folder;

  @Test
  void startsEachRoleByACommandThatSluiceKnows() throws IOException {
    Map<String, String> commands = commands();
    assertThat(commands).containsOnlyKeys("analyze", "execute", "produce", "schedule", "serve");
    commands.forEach(
        (service, command) -> {
          ParseResult role = parse(command).subcommand();
          assertThat(role.commandSpec().name()).isEqualTo(service);
          assertThat(role.<String>matchedOptionValue("--bootstrap", "")).isEqualTo("kafka:9092");
          assertThat(role.<String>matchedOptionValue("--run-id", "")).isEqualTo("first");
          Path config = role.matchedPositionalValue(0, Path.of("configs/quickstart.yaml"));
          assertThat(ROOT.resolve(config)).as(service).isRegularFile();
        });
  }

  @Test
  void buildsItsImageOnce_beforeAnyServiceThatSharesIt() throws IOException {
    Map<String, Map<String, Object>> services = services();
    assertThat(services.entrySet().stream().filter(s -> s.getValue().containsKey("build")))
        .extracting(Map.Entry::getKey)
        .containsExactly("image");
    for (String service : commands().keySet()) {
      assertThat(services.get(service))
          .as(service)
          .containsEntry("image", "sluice")
          .containsEntry("pull_policy", "never");
      assertThat((Map<?, ?>) services.get(service).get("depends_on"))
          .isEqualTo(
              Map.of(
                  "image",
                  Map.of("condition", "service_completed_successfully"),
                  "kafka",
                  Map.of("condition", "service_healthy")));
    }
  }

  @Test
  void tellsTheHealthOfEachService_andOpensNothingToOtherMachines() throws IOException {
    services()
        .forEach(
            (name, service) -> {
              if (!name.equals("image")) {
                assertThat(service).as(name).containsKey("healthcheck");
              }
              assertThat((List<?>) service.getOrDefault("ports", List.of()))
                  .as(name)
                  .allMatch(port -> port.toString().startsWith("127.0.0.1:"));
              assertThat(String.valueOf(service.get("environment")))
                  .as(name)
                  .doesNotContainIgnoringCase("password");
            });
  }

  @Tag("loop")
  @Test
  void asksForTheHealthOfARole_byACommandThatTellsItFromNone() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "no bash here, as there is in the image");
    int port;
    try (var served = new RoleMetrics(new MetricsAddress(0, null), "test", "run-1")) {
      port = Objects.requireNonNull(served.port());
      assertThat(Launch.of(healthCheck(port)).status()).isZero();
    }
    assertThat(Launch.of(healthCheck(port)).status()).isNotZero();
  }

  /** The command of a role's health check, at another port. */
  private static List<String> healthCheck(int port) throws IOException {
    JsonNode words = tree("docker-compose.yml").at("/services/analyze/healthcheck/test");
    assertThat(words.path(0).asText()).isEqualTo("CMD");
    assertThat(words.toString()).contains("/9464;");
    return StreamSupport.stream(words.spliterator(), false)
        .skip(1)
        .map(word -> word.asText().replace("9464", Integer.toString(port)))
        .toList();
  }

  @Test
  void givesGrafanaTheDashboard_theSourceThatItNames_andNoUserWithAPassword() throws IOException {
    Map<String, Object> grafana = services().getOrDefault("grafana", Map.of());
    assertThat(String.valueOf(grafana.get("environment")))
        .contains("GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION=true")
        .contains("GF_AUTH_ANONYMOUS_ENABLED=true")
        .contains("GF_AUTH_ANONYMOUS_ORG_ROLE=Viewer")
        .contains("GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH=/etc/grafana/dashboards/sluice.json");
    assertThat(String.valueOf(grafana.get("volumes")))
        .contains("./monitoring/dashboards:/etc/grafana/dashboards:ro");
    JsonNode provider = tree("monitoring/grafana-dashboards.yml").path("providers").get(0);
    assertThat(provider.at("/options/path").asText()).isEqualTo("/etc/grafana/dashboards");
    JsonNode source = tree("monitoring/grafana-datasources.yml").path("datasources").get(0);
    assertThat(tree("monitoring/dashboards/sluice.json").findValues("datasource"))
        .isNotEmpty()
        .allMatch(named -> named.path("uid").equals(source.path("uid")));
  }

  private static JsonNode tree(String file) throws IOException {
    return new ObjectMapper().valueToTree(read(file));
  }

  @Tag("slow")
  @Test
  void runsAWholeRunByItsCommands_asPlainProcesses_thatServeTheirMetrics() throws Exception {
    EmbeddedBroker broker = SharedBroker.get();
    try (var roles = new Roles(folder, broker.bootstrapServers(), "first")) {
      ChildProcess analyze = start(roles, broker, "analyze", "analyze");
      ChildProcess execute = start(roles, broker, "execute", "execute");
      List<ChildProcess> schedulers =
          List.of(
              start(roles, broker, "schedule", "schedule-a"),
              start(roles, broker, "schedule", "schedule-b"));
      ChildProcess produce = start(roles, broker, "produce", "produce");

      awaitPositive(List.of(produce), "sluice_jobs_sent_total");
      awaitPositive(List.of(execute), "sluice_batches_completed_total{result=\"done\"}");
      awaitPositive(List.of(analyze), "sluice_outcomes_total{status=\"done\"}");
      awaitPositive(schedulers, "sluice_batches_dispatched_total");
      assertThat(schedulers.stream().mapToDouble(s -> sample(s, "sluice_shards")).sum())
          .isEqualTo(1);

      produce.signal(Signal.TERM);
      roles.awaitEnd(produce, 0);
      roles.awaitEnd(execute, 0);
      for (ChildProcess scheduler : schedulers) {
        roles.awaitEnd(scheduler, 0);
      }
      roles.awaitEnd(analyze, ExitStatus.INCONCLUSIVE); // it was interrupted
      assertThat(roles.loop().left()).containsExactly("first");
    }
  }

  /** Starts a service's command, on the broker, the files and the ports of this test. */
  private static ChildProcess start(Roles roles, EmbeddedBroker broker, String service, String name)
      throws IOException {
    String command =
        commands()
            .getOrDefault(service, "")
            .replace("kafka:9092", broker.bootstrapServers())
            .replace("configs/quickstart.yaml", roles.loop().write(Loop.EMULATED).toString())
            .replace("--metrics-port 9464", "--metrics-port 0 --set duration_seconds=600")
            .replace("--metrics-bind 0.0.0.0", "--metrics-bind 127.0.0.1")
            .replace("--results results", "--results " + roles.loop().results());
    return roles.start(name, command.trim().split("\\s+", -1));
  }

  private static void awaitPositive(List<ChildProcess> processes, String name)
      throws InterruptedException {
    long endNs = System.nanoTime() + LIMIT.toNanos();
    while (processes.stream().mapToDouble(process -> sample(process, name)).sum() <= 0) {
      for (ChildProcess process : processes) {
        assertThat(process.isAlive()).as(() -> Roles.printed(process)).isTrue();
        assertThat(System.nanoTime()).as(() -> Roles.printed(process)).isLessThan(endNs);
        process.process().waitFor(100, TimeUnit.MILLISECONDS);
      }
    }
  }

  /** What a process serves under a name; 0 while it serves no such thing. */
  private static double sample(ChildProcess process, String name) {
    Matcher port = PORT.matcher(Roles.printed(process));
    if (!port.find()) {
      return 0;
    }
    var address = URI.create("http://127.0.0.1:" + port.group(1) + "/metrics");
    try (var answer = address.toURL().openStream()) {
      return new String(answer.readAllBytes(), UTF_8)
          .lines()
          .filter(line -> line.startsWith(name + " "))
          .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
          .sum();
    } catch (IOException e) {
      throw new AssertionError("no metrics at " + address, e);
    }
  }

  @Test
  void letsPrometheusFindEachRole_whereItServes() throws IOException {
    Map<String, Integer> scraped = new TreeMap<>();
    for (Object job :
        (List<?>) read("monitoring/prometheus.yml").getOrDefault("scrape_configs", List.of())) {
      for (Object found : (List<?>) ((Map<?, ?>) job).get("dns_sd_configs")) {
        Map<?, ?> target = (Map<?, ?>) found;
        ((List<?>) target.get("names"))
            .forEach(name -> scraped.put((String) name, (Integer) target.get("port")));
      }
    }
    Map<String, Integer> served = new TreeMap<>();
    commands()
        .forEach(
            (service, command) ->
                served.put(
                    service, parse(command).subcommand().matchedOptionValue("--metrics-port", -1)));
    assertThat(scraped).isEqualTo(served);
  }

  @Test
  void mountsFilesThatAreThere() throws IOException {
    services()
        .values()
        .forEach(
            service ->
                ((List<?>) service.getOrDefault("volumes", List.of()))
                    .stream()
                        .map(volume -> volume.toString().split(":", -1)[0])
                        .filter(source -> source.startsWith("./"))
                        .forEach(source -> assertThat(ROOT.resolve(source)).exists()));
  }

  private static ParseResult parse(String command) {
    return Sluice.commandLine().parseArgs(command.trim().split("\\s+", -1));
  }

  /** By service, with each variable at its default. */
  private static Map<String, String> commands() throws IOException {
    Map<String, String> commands = new TreeMap<>();
    services()
        .forEach(
            (name, service) -> {
              if (service.get("command") instanceof String command && !command.startsWith("--")) {
                commands.put(name, WITH_DEFAULT.matcher(command).replaceAll("$1"));
              }
            });
    return commands;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Map<String, Object>> services() throws IOException {
    return (Map<String, Map<String, Object>>)
        read("docker-compose.yml").getOrDefault("services", Map.of());
  }

  private static Map<String, Object> read(String file) throws IOException {
    return new Yaml(new SafeConstructor(new LoaderOptions()))
        .load(Files.readString(ROOT.resolve(file)));
  }
}
