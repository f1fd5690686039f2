package dev.sluice.layers.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import dev.sluice.layers.parameters.SafetensorsFile.Entry;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Another program's reader on the files that Sluice writes. */
@Tag("loop")
final class DecodedByDjlTest {
  private static final ModelCache CACHE = new ModelCache(Path.of("target", "test-model-cache"));

  @Test
  void givesTheTensorsOfANetwork() throws Exception {
    Engines.prepare(1, CACHE).start("pytorch");
    Path path = CACHE.weights("vit_micro", ModelProgress.none());
    try (SafetensorsFile file = SafetensorsFile.open(path);
        NDManager manager = NDManager.newBaseManager();
        InputStream in = Files.newInputStream(path)) {
      NDList decoded = NDList.decode(manager, in);

      List<Entry> entries = file.entries();
      assertThat(decoded).hasSize(entries.size());
      for (NDArray array : decoded) {
        Entry entry =
            entries.stream()
                .filter(one -> one.tensor().name().equals(array.getName()))
                .findFirst()
                .orElseThrow();
        assertThat(array.getShape().getShape())
            .containsExactly(entry.tensor().shape().stream().mapToLong(Long::longValue).toArray());
        ByteBuffer bytes = ByteBuffer.allocate((int) entry.bytes());
        file.read(entry.offset(), bytes);
        assertThat(array.toByteBuffer()).isEqualTo(bytes.flip());
      }
    }
  }
}
