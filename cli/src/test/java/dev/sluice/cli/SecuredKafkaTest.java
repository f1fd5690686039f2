package dev.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.log.LeftRun;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Kafka that speaks TLS alone, and whose clients must log in. */
@Tag("slow")
@Timeout(300)
final class SecuredKafkaTest {
  private static final String PASSWORD = "open-sesame-4711";
  private static final String KEYS = "keys.p12";
  private static final String LOGIN =
      "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\""
          + " password=\"%s\"%s;";

  @TempDir private static Path brokerFolder;
  @TempDir private static Path keysFolder;
  private static EmbeddedBroker broker;

  @TempDir private Path folder;

  @BeforeAll
  static void startBroker() throws Exception {
    Path keys = makeKeys();
    broker =
        EmbeddedBroker.startAt(
            brokerFolder,
            EmbeddedBroker.freePort(),
            Map.of(
                "listener.security.protocol.map",
                "PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT",
                "ssl.keystore.location",
                keys.toString(),
                "ssl.keystore.password",
                PASSWORD,
                // the broker is its own client as well
                "ssl.truststore.location",
                keys.toString(),
                "ssl.truststore.password",
                PASSWORD,
                "inter.broker.listener.name",
                "PLAINTEXT",
                "sasl.enabled.mechanisms",
                "PLAIN",
                "sasl.mechanism.inter.broker.protocol",
                "PLAIN",
                "listener.name.plaintext.plain.sasl.jaas.config",
                LOGIN.formatted(
                    "broker",
                    "itself",
                    " user_broker=\"itself\" user_alice=\"" + PASSWORD + "\"")));
  }

  /** A key that signs itself, of the host that the embedded broker listens on. */
  private static Path makeKeys() throws IOException, InterruptedException {
    Path keys = keysFolder.resolve(KEYS);
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "broker",
                "-keyalg",
                "EC",
                "-dname",
                "CN=sluice",
                "-ext",
                "san=ip:127.0.0.1,dns:localhost",
                "-storetype",
                "PKCS12",
                "-keystore",
                keys.toString(),
                "-storepass",
                PASSWORD)
            .inheritIO()
            .start();
    assertThat(keytool.waitFor()).isZero();
    return keys;
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void runsWithTheUsersProperties_andWritesThePasswordNowhere() throws Exception {
    Path config = config("PLAIN", PASSWORD);
    var loop = new Loop(folder, broker.bootstrapServers());
    BadInputCommand run = run(loop, config, "--run-id", "secured");
    assertThat(run.status()).as(run.out() + run.err()).isZero();
    try (var roles = new Roles(folder, broker.bootstrapServers(), "secured-role")) {
      ChildProcess schedule =
          roles.role("schedule", "schedule", "--kafka-config", config.toString());
      roles.awaitPrinted(schedule, "waiting for the run to begin");
      assertThat(schedule.process().info().commandLine().orElse("unknown"))
          .doesNotContain(PASSWORD);
      schedule.signal(ChildProcess.Signal.TERM);
      roles.awaitEnd(schedule, 143);
    }
    assertThat(run.out() + run.err()).doesNotContain(PASSWORD);
    assertThat(filesWithThePassword()).containsExactly(config);
    assertThat(LeftRun.all(KafkaAccess.of("", broker.bootstrapServers(), config).clients()))
        .extracting(LeftRun::runId)
        .containsExactly("secured-role");
  }

  @Test
  void refusesAWrongPassword_anUnknownMechanism_andAFileThatIsNone() throws Exception {
    var loop = new Loop(folder, broker.bootstrapServers());
    run(loop, config("PLAIN", "wrong-" + PASSWORD))
        .isRefused(1)
        .says("refuses these clients (Authentication failed")
        .says("Maybe the mechanism, the name or the password is another.");
    run(loop, config("SCRAM-SHA-256", PASSWORD)).isRefused(1);
    run(loop, config("MAGIC", PASSWORD)).isRefused(1);
    run(loop, folder.resolve("missing"))
        .isRefused(1)
        .says("--kafka-config: error: the file cannot be read")
        .says("no such file");
    run(loop, file("sasl.jaas.confg=" + login(PASSWORD)))
        .isRefused(1)
        .says("no client of Kafka knows the property (sasl.jaas.confg)");
    run(loop, file("bootstrap.servers=elsewhere:9092")).isRefused(1).says("--bootstrap HOST:PORT");
    run(
            loop,
            file(
                "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=plain "
                    + PASSWORD))
        .isRefused(1)
        .says("the value of sasl.jaas.config is not of the form");
    run(loop, file("sasl.jaas.config=\\u12")).isRefused(1).says("no Java properties file");
    run(
            loop,
            file(
                "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.jaas.config="
                    + login(PASSWORD)))
        .isRefused(1)
        .says("refuses these clients (")
        .says("Maybe its certificate is not in ssl.truststore.location, or is for another host.");
    assertThat(loop.left()).isEmpty();
  }

  private BadInputCommand run(Loop loop, Path config, String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "run",
                loop.write(Loop.EMULATED).toString(),
                "--results",
                loop.results().toString(),
                "--bootstrap",
                broker.bootstrapServers(),
                "--kafka-config",
                config.toString()));
    arguments.addAll(List.of(more));
    BadInputCommand run = BadInputCommand.sluice(arguments.toArray(String[]::new));
    assertThat(run.err()).doesNotContain(PASSWORD);
    return run;
  }

  private Path config(String mechanism, String password) throws IOException {
    return file(
        "security.protocol=SASL_SSL\nsasl.mechanism="
            + mechanism
            + "\nsasl.jaas.config="
            + login(password)
            + "\nssl.truststore.location="
            + keysFolder.resolve(KEYS)
            + "\nssl.truststore.password="
            + PASSWORD);
  }

  private static String login(String password) {
    return LOGIN.formatted("alice", password, "");
  }

  private Path file(String text) throws IOException {
    return Files.writeString(Files.createTempFile(folder, "client", ".properties"), text);
  }

  private List<Path> filesWithThePassword() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      List<Path> found = new ArrayList<>();
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1)
            .contains(new String(PASSWORD.getBytes(UTF_8), UTF_8))) {
          found.add(file);
        }
      }
      return found;
    }
  }
}
