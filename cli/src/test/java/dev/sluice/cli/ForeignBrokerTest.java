package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.github.dockerjava.api.exception.NotFoundException;
import dev.sluice.cli.Loop.Ended;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The whole loop, as {@code run --bootstrap} does it, on brokers that are not Sluice's own. Docker
 * is never needed, and no image is ever fetched: what is not there is a reason to skip, which
 * {@link SkipReasons} prints.
 */
@Tag("slow")
final class ForeignBrokerTest {
  /** Names the image to test against, from Maven's command line too. */
  private static final String IMAGE_PROPERTY = "sluice.kafkaImage";

  private static final String OFFICIAL_IMAGE = "apache/kafka:4.3.1";

  @TempDir private Path folder;

  @Test
  void bringsEachJobToItsEnd_onAKafkaInAProcessOfItsOwn() throws Exception {
    try (var broker = BrokerProcess.start(folder.resolve("broker"))) {
      bringsEachJobToItsEnd(broker.bootstrapServers());
    }
  }

  @Test
  void bringsEachJobToItsEnd_onTheOfficialImage() throws Exception {
    String image = System.getProperty(IMAGE_PROPERTY, OFFICIAL_IMAGE);
    if (!"true".equals(System.getenv("TESTCONTAINERS_RYUK_DISABLED"))) {
      abort("TESTCONTAINERS_RYUK_DISABLED is not true: an image would be fetched");
    }
    if (!DockerClientFactory.instance().isDockerAvailable()) {
      abort("no Docker answers");
    }
    if (!isHere(image)) {
      abort("the image " + image + " is not on this machine (docker pull " + image + ")");
    }
    var name = DockerImageName.parse(image).asCompatibleSubstituteFor("apache/kafka");
    try (var kafka = new KafkaContainer(name).withImagePullPolicy(any -> false)) {
      kafka.start();
      bringsEachJobToItsEnd(kafka.getBootstrapServers());
    }
  }

  private static boolean isHere(String image) {
    try {
      DockerClientFactory.lazyClient().inspectImageCmd(image).exec();
      return true;
    } catch (NotFoundException e) {
      return false;
    }
  }

  private void bringsEachJobToItsEnd(String bootstrapServers) throws Exception {
    Ended run =
        new Loop(folder, bootstrapServers)
            .run(
                "elsewhere",
                "duration_seconds=3",
                "tail_seconds=60",
                "arrival_rate_jobs_per_sec=20");

    run.assertWhole();
    assertThat(run.text()).contains("Kafka at " + bootstrapServers);
    List<Map<String, String>> rows = run.rows("trace.csv");
    assertThat(rows).hasSizeGreaterThan(30);
    assertThat(rows.stream().map(row -> row.get("job_id")))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, rows.size()).mapToObj(i -> "job-" + i).toList());
    assertThat(rows.stream().filter(row -> row.get("phase").equals("measured")))
        .as(run.text())
        .isNotEmpty()
        .allMatch(row -> row.get("status").equals("done"));
    assertThat(run.count("done") + run.count("dropped")).isEqualTo(rows.size());
  }
}
