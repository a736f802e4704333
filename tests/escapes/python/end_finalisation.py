# mechanism: finalisation
# kind: end
# ends: value error crash

import sys
sys._clear_internal_caches() if hasattr(sys, '_clear_internal_caches') else sys._clear_type_cache()
