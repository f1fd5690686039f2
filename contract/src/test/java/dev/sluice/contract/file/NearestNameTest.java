package dev.sluice.contract.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Which known name is meant. */
final class NearestNameTest {
  @Test
  void theNameWithTheFewestEdits_isMeant_whateverItsCase() {
    List<String> names = List.of("resnet50", "resnet18", "vit", "vit_tiny");
    assertThat(NearestName.of("resnet81", names)).contains("resnet18");
    assertThat(NearestName.of("VIT", names)).contains("vit");
    assertThat(NearestName.of("rsnet5", names)).contains("resnet50");
    assertThat(NearestName.of("bert_large", names)).isEmpty();
  }

  @Test
  void edits_areInsertionsRemovalsAndReplacements() {
    assertThat(NearestName.edits("kitten", "sitting")).isEqualTo(3);
    assertThat(NearestName.edits("", "abc")).isEqualTo(3);
    assertThat(NearestName.edits("abc", "")).isEqualTo(3);
  }

  @Property
  void edits_areADistance(@ForAll String a, @ForAll String b) {
    assertThat(NearestName.edits(a, a)).isZero();
    assertThat(NearestName.edits(a, b)).isEqualTo(NearestName.edits(b, a));
    assertThat(NearestName.edits(a, b)).isLessThanOrEqualTo(2 * Math.max(a.length(), b.length()));
  }
}
